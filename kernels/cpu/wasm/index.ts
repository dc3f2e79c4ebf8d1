/**
 * The exported kernels. `layout` chooses the instance:
 *   bits 0–1  0: 32-bit keys, 1: 64-bit keys, 2: 32-bit pairs, 3: 64-bit pairs
 *   bit 2     set for float keys
 *   bit 3     set where integers are partitioned by a digit within a window
 *   bit 4     set where they are by magnitude, with `shift` bits of mantissa
 * Addresses are bytes into the imported memory, which the host lays out. No kernel sleeps, allocates
 * or calls out; several threads may run them over disjoint memory at once.
 */

import { Buckets, sortBuckets } from './buckets';
import { Order } from './order';
import { countHalves, scatterHalves } from './partition';
import { packRecords, packThrough, unpackRecords } from './records';
import { passesOver, sortRuns } from './runs';
import { Survey, surveyKeys, warmUp } from './survey';

export { restOf as rest, scanSpine as scan } from './partition';
export { spin } from './spin';

const FLOAT: u32 = 4;

export function survey(layout: u32, keys: usize, count: usize, orderAt: usize, found: usize): void {
  const order = changetype<Order>(orderAt);
  const out = changetype<Survey>(found);
  switch (layout & (FLOAT | 1)) {
    case 0: { surveyKeys<u32, i32>(keys, count, <u32>order.flip, <u32>order.bias, out); break; }
    case 1: { surveyKeys<u64, i32>(keys, count, order.flip, order.bias, out); break; }
    case 4: { surveyKeys<u32, f32>(keys, count, <u32>order.flip, <u32>order.bias, out); break; }
    case 5: { surveyKeys<u64, f32>(keys, count, order.flip, order.bias, out); break; }
  }
}

export function warm(from: usize, bytes: usize): u32 {
  return warmUp(from, bytes);
}

export function count(
  layout: u32, records: usize, n: usize, orderAt: usize, shift: u32, width: u32, counts: usize,
): void {
  const order = changetype<Order>(orderAt);
  switch (layout) {
    case 0: { countHalves<u32, void, i32>(records, n, order, shift, width, counts); break; }
    case 1: { countHalves<u64, void, i32>(records, n, order, shift, width, counts); break; }
    case 2: { countHalves<u32, u32, i32>(records, n, order, shift, width, counts); break; }
    case 3: { countHalves<u64, u64, i32>(records, n, order, shift, width, counts); break; }
    case 4: { countHalves<u32, void, f32>(records, n, order, shift, width, counts); break; }
    case 5: { countHalves<u64, void, f32>(records, n, order, shift, width, counts); break; }
    case 6: { countHalves<u32, u32, f32>(records, n, order, shift, width, counts); break; }
    case 7: { countHalves<u64, u64, f32>(records, n, order, shift, width, counts); break; }
    case 8: { countHalves<u32, void, u8>(records, n, order, shift, width, counts); break; }
    case 9: { countHalves<u64, void, u8>(records, n, order, shift, width, counts); break; }
    case 10: { countHalves<u32, u32, u8>(records, n, order, shift, width, counts); break; }
    case 11: { countHalves<u64, u64, u8>(records, n, order, shift, width, counts); break; }
    case 16: { countHalves<u32, void, u32>(records, n, order, shift, width, counts); break; }
    case 17: { countHalves<u64, void, u32>(records, n, order, shift, width, counts); break; }
    case 18: { countHalves<u32, u32, u32>(records, n, order, shift, width, counts); break; }
    case 19: { countHalves<u64, u64, u32>(records, n, order, shift, width, counts); break; }
  }
}

export function scatter(
  layout: u32, records: usize, n: usize, orderAt: usize, shift: u32, width: u32, cursors: usize, atOnce: u32,
): void {
  const order = changetype<Order>(orderAt);
  switch (layout) {
    case 0: { scatterHalves<u32, void, i32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 1: { scatterHalves<u64, void, i32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 2: { scatterHalves<u32, u32, i32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 3: { scatterHalves<u64, u64, i32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 4: { scatterHalves<u32, void, f32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 5: { scatterHalves<u64, void, f32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 6: { scatterHalves<u32, u32, f32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 7: { scatterHalves<u64, u64, f32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 8: { scatterHalves<u32, void, u8>(records, n, order, shift, width, cursors, atOnce); break; }
    case 9: { scatterHalves<u64, void, u8>(records, n, order, shift, width, cursors, atOnce); break; }
    case 10: { scatterHalves<u32, u32, u8>(records, n, order, shift, width, cursors, atOnce); break; }
    case 11: { scatterHalves<u64, u64, u8>(records, n, order, shift, width, cursors, atOnce); break; }
    case 16: { scatterHalves<u32, void, u32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 17: { scatterHalves<u64, void, u32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 18: { scatterHalves<u32, u32, u32>(records, n, order, shift, width, cursors, atOnce); break; }
    case 19: { scatterHalves<u64, u64, u32>(records, n, order, shift, width, cursors, atOnce); break; }
  }
}

export function runs(
  layout: u32, bounds: usize, first: u32, last: u32,
  home: usize, away: usize, endsAway: u32, orderAt: usize, counters: usize,
): void {
  const order = changetype<Order>(orderAt);
  switch (layout) {
    case 0: { sortRuns<u32, void, i32>(bounds, first, last, home, away, endsAway, order, counters); break; }
    case 1: { sortRuns<u64, void, i32>(bounds, first, last, home, away, endsAway, order, counters); break; }
    case 2: { sortRuns<u32, u32, i32>(bounds, first, last, home, away, endsAway, order, counters); break; }
    case 3: { sortRuns<u64, u64, i32>(bounds, first, last, home, away, endsAway, order, counters); break; }
    case 4: { sortRuns<u32, void, f32>(bounds, first, last, home, away, endsAway, order, counters); break; }
    case 5: { sortRuns<u64, void, f32>(bounds, first, last, home, away, endsAway, order, counters); break; }
    case 6: { sortRuns<u32, u32, f32>(bounds, first, last, home, away, endsAway, order, counters); break; }
    case 7: { sortRuns<u64, u64, f32>(bounds, first, last, home, away, endsAway, order, counters); break; }
  }
}

/** `runs` for the buckets of a partition. */
export function buckets(layout: u32, bucketsAt: usize, first: u32, last: u32, counters: usize): u32 {
  const all = changetype<Buckets>(bucketsAt);
  switch (layout) {
    case 0: return sortBuckets<u32, void, i32>(all, first, last, counters);
    case 1: return sortBuckets<u64, void, i32>(all, first, last, counters);
    case 2: return sortBuckets<u32, u32, i32>(all, first, last, counters);
    case 3: return sortBuckets<u64, u64, i32>(all, first, last, counters);
    case 4: return sortBuckets<u32, void, f32>(all, first, last, counters);
    case 5: return sortBuckets<u64, void, f32>(all, first, last, counters);
    case 6: return sortBuckets<u32, u32, f32>(all, first, last, counters);
    default: return sortBuckets<u64, u64, f32>(all, first, last, counters);
  }
}

export function passes(layout: u32, n: usize, orderAt: usize): u32 {
  const order = changetype<Order>(orderAt);
  switch (layout) {
    case 0: return passesOver<u32, void, i32>(n, order);
    case 1: return passesOver<u64, void, i32>(n, order);
    case 2: return passesOver<u32, u32, i32>(n, order);
    case 3: return passesOver<u64, u64, i32>(n, order);
    case 4: return passesOver<u32, void, f32>(n, order);
    case 5: return passesOver<u64, void, f32>(n, order);
    case 6: return passesOver<u32, u32, f32>(n, order);
    default: return passesOver<u64, u64, f32>(n, order);
  }
}

export function pack(
  layout: u32, keys: usize, keyFormat: u32, values: usize, valueFormat: u32,
  first: u32, n: usize, records: usize,
): void {
  if (layout & 1) packRecords<u64>(keys, keyFormat, values, valueFormat, first, n, records);
  else packRecords<u32>(keys, keyFormat, values, valueFormat, first, n, records);
}

export function packPermuted(
  layout: u32, keys: usize, keyFormat: u32, indices: usize, n: usize, records: usize,
): void {
  if (layout & 1) packThrough<u64>(keys, keyFormat, indices, n, records);
  else packThrough<u32>(keys, keyFormat, indices, n, records);
}

export function unpack(
  layout: u32, records: usize, n: usize, keys: usize, keyFormat: u32, values: usize, valueFormat: u32,
): void {
  if (layout & 1) unpackRecords<u64>(records, n, keys, keyFormat, values, valueFormat);
  else unpackRecords<u32>(records, n, keys, keyFormat, values, valueFormat);
}
