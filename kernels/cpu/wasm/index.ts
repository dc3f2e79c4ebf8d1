/**
 * The exported kernels: each chooses the instance that `job.variant` names (see constants.ts). No
 * kernel sleeps, allocates or calls out; several threads may run them over disjoint memory at once.
 */

import {
  FLOAT, KEYS_32, KEYS_64, MAGNITUDE, PAIRS_32, PAIRS_64, WINDOW, WORDS_64,
} from '../constants';
import { Job, Order, Survey } from './blocks';
import { BLOCK_BYTES, countHalves, scaleOf, scatterHalves, warmTargets } from './partition';
import { packRecords, packThrough, unpackRecords } from './records';
import { passesOver, sortBuckets, sortRuns } from './runs';
import { surveyKeys } from './survey';

export { countValues, placeRows, scanDigits, splitRows } from './counting';
export { addSurveys } from './survey';
export { restOf as rest, scanSpine as scan, skipSlices as skip } from './partition';

/** Surveys `n` >= 1 keys from key `first` on. */
export function survey(job: Job, first: usize, n: usize, found: Survey): void {
  const order = changetype<Order>(<usize>job.order);
  const isFloat = job.variant & FLOAT;
  if (job.keyFormat == WORDS_64) {
    const keys = <usize>job.keys + (first << 3);
    if (isFloat) surveyKeys<u64, f32>(keys, n, order.flip, order.bias, found);
    else surveyKeys<u64, i32>(keys, n, order.flip, order.bias, found);
  } else {
    const keys = <usize>job.keys + (first << 2);
    if (isFloat) surveyKeys<u32, f32>(keys, n, <u32>order.flip, <u32>order.bias, found);
    else surveyKeys<u32, i32>(keys, n, <u32>order.flip, <u32>order.bias, found);
  }
}

/** Puts keys and payloads `first` to `first` + n - 1 side by side. */
export function pack(job: Job, first: u32, n: usize): void {
  if (job.indices != 0) {
    if (job.variant & 1) packThrough<u64>(job, first, n);
    else packThrough<u32>(job, first, n);
  } else {
    if (job.variant & 1) packRecords<u64>(job, first, n);
    else packRecords<u32>(job, first, n);
  }
}

/** Takes records `first` to `first` + n - 1 apart. */
export function unpack(job: Job, first: usize, n: usize): void {
  if (job.variant & 1) unpackRecords<u64>(job, first, n);
  else unpackRecords<u32>(job, first, n);
}

/** Counts a digit of records `first` to `first` + n - 1 into 2^width counters for each half. */
export function count(job: Job, first: usize, n: usize, counts: usize): void {
  const variant = job.variant;
  if (variant & KEYS_64) {
    if (variant & FLOAT) countHalves<u64, void, f32>(job, first, n, counts);
    else if (variant & WINDOW) countHalves<u64, void, u8>(job, first, n, counts);
    else if (variant & MAGNITUDE) countHalves<u64, void, u32>(job, first, n, counts);
    else countHalves<u64, void, i32>(job, first, n, counts);
  } else {
    if (variant == (KEYS_32 | FLOAT)) countHalves<u32, void, f32>(job, first, n, counts);
    else if (variant & FLOAT) countHalves<u32, u32, f32>(job, first, n, counts);
    else if (variant & WINDOW) countHalves<u32, void, u8>(job, first, n, counts);
    else if (variant & MAGNITUDE) countHalves<u32, void, u32>(job, first, n, counts);
    else countHalves<u32, void, i32>(job, first, n, counts);
  }
}

/**
 * Moves records `first` to `first` + n - 1, of which `count` has left `counts`, to where the
 * cursors point.
 */
export function scatter(job: Job, first: usize, n: usize, counts: usize): void {
  const block = BLOCK_BYTES >> scaleOf(job.variant);
  if (!job.readsAhead) {
    scatterBlock(job, first, n, counts);
    return;
  }
  for (let done: usize = 0; done < n; done += block) {
    const some = min<usize>(n - done, block);
    warmTargets(job, <f64>some / <f64>n, counts);
    scatterBlock(job, first + done, some, counts);
  }
}

function scatterBlock(job: Job, first: usize, n: usize, counts: usize): void {
  switch (job.variant) {
    case KEYS_32: { scatterHalves<u32, void, i32>(job, first, n, counts); break; }
    case KEYS_64: { scatterHalves<u64, void, i32>(job, first, n, counts); break; }
    case PAIRS_32: { scatterHalves<u32, u32, i32>(job, first, n, counts); break; }
    case PAIRS_64: { scatterHalves<u64, u64, i32>(job, first, n, counts); break; }
    case KEYS_32 | FLOAT: { scatterHalves<u32, void, f32>(job, first, n, counts); break; }
    case KEYS_64 | FLOAT: { scatterHalves<u64, void, f32>(job, first, n, counts); break; }
    case PAIRS_32 | FLOAT: { scatterHalves<u32, u32, f32>(job, first, n, counts); break; }
    case PAIRS_64 | FLOAT: { scatterHalves<u64, u64, f32>(job, first, n, counts); break; }
    case KEYS_32 | WINDOW: { scatterHalves<u32, void, u8>(job, first, n, counts); break; }
    case KEYS_64 | WINDOW: { scatterHalves<u64, void, u8>(job, first, n, counts); break; }
    case PAIRS_32 | WINDOW: { scatterHalves<u32, u32, u8>(job, first, n, counts); break; }
    case PAIRS_64 | WINDOW: { scatterHalves<u64, u64, u8>(job, first, n, counts); break; }
    case KEYS_32 | MAGNITUDE: { scatterHalves<u32, void, u32>(job, first, n, counts); break; }
    case KEYS_64 | MAGNITUDE: { scatterHalves<u64, void, u32>(job, first, n, counts); break; }
    case PAIRS_32 | MAGNITUDE: { scatterHalves<u32, u32, u32>(job, first, n, counts); break; }
    case PAIRS_64 | MAGNITUDE: { scatterHalves<u64, u64, u32>(job, first, n, counts); break; }
  }
}

/** Sorts segments `first` to `last` - 1. */
export function runs(job: Job, first: u32, last: u32): void {
  switch (job.variant) {
    case KEYS_32: { sortRuns<u32, void, i32>(job, first, last); break; }
    case KEYS_64: { sortRuns<u64, void, i32>(job, first, last); break; }
    case PAIRS_32: { sortRuns<u32, u32, i32>(job, first, last); break; }
    case PAIRS_64: { sortRuns<u64, u64, i32>(job, first, last); break; }
    case KEYS_32 | FLOAT: { sortRuns<u32, void, f32>(job, first, last); break; }
    case KEYS_64 | FLOAT: { sortRuns<u64, void, f32>(job, first, last); break; }
    case PAIRS_32 | FLOAT: { sortRuns<u32, u32, f32>(job, first, last); break; }
    case PAIRS_64 | FLOAT: { sortRuns<u64, u64, f32>(job, first, last); break; }
  }
}

/** Sorts buckets `first` to `last` - 1 but long ones; returns how many records they hold. */
export function buckets(job: Job, first: u32, last: u32): u32 {
  switch (job.variant) {
    case KEYS_32: return sortBuckets<u32, void, i32>(job, first, last);
    case KEYS_64: return sortBuckets<u64, void, i32>(job, first, last);
    case PAIRS_32: return sortBuckets<u32, u32, i32>(job, first, last);
    case PAIRS_64: return sortBuckets<u64, u64, i32>(job, first, last);
    case KEYS_32 | FLOAT: return sortBuckets<u32, void, f32>(job, first, last);
    case KEYS_64 | FLOAT: return sortBuckets<u64, void, f32>(job, first, last);
    case PAIRS_32 | FLOAT: return sortBuckets<u32, u32, f32>(job, first, last);
    default: return sortBuckets<u64, u64, f32>(job, first, last);
  }
}

/** How many passes `runs` makes over `n` records whose bits are as good as random. */
export function passes(variant: u32, n: usize, order: Order): u32 {
  switch (variant) {
    case KEYS_32: return passesOver<u32, void, i32>(n, order);
    case KEYS_64: return passesOver<u64, void, i32>(n, order);
    case PAIRS_32: return passesOver<u32, u32, i32>(n, order);
    case PAIRS_64: return passesOver<u64, u64, i32>(n, order);
    case KEYS_32 | FLOAT: return passesOver<u32, void, f32>(n, order);
    case KEYS_64 | FLOAT: return passesOver<u64, void, f32>(n, order);
    case PAIRS_32 | FLOAT: return passesOver<u32, u32, f32>(n, order);
    default: return passesOver<u64, u64, f32>(n, order);
  }
}

/**
 * Waits for another thread without sleeping: looks at the word at `address` up to `times` times.
 * Returns its value once that is not `seen`, or `seen`. Looking from a kernel leaves the host's
 * loop cold, which the engine would compile on a core that the sort needs. Why no kernel sleeps:
 * see packages/cpu/src/arena/work-queue.ts.
 */
export function spin(address: usize, seen: i32, times: u32): i32 {
  for (; times > 0; times--) {
    const now = atomic.load<i32>(address);
    if (now != seen) return now;
  }
  return seen;
}
