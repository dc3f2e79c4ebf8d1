/**
 * Partition: the count (upsweep) and scatter (downsweep) of one digit over a slice of the records,
 * so that several threads share a pass. Between them every thread scans the spine for itself: the
 * counts, half slice by digit value. A thread has one row of cursors, which goes with it from slice
 * to slice.
 *
 * If most records have the same digit, each waits for the counter or cursor that the record before
 * it has just written. So both halves of a slice are read at the same time, each with counters of
 * its own. For counting, that costs nothing with other records either. For scattering it does, so
 * slices without such a digit are moved one half after the other.
 */

import { KEYS_64, MAGNITUDE, PAIRS_32, PARTITION_BITS, WINDOW } from '../constants';
import { Job, Order } from './blocks';
import { byMagnitude, digits, isWindow, keyAt, stride } from './order';
import { warmUp } from './survey';

/** The bytes of a block: a slice is scattered block by block. */
export const BLOCK_BYTES: usize = 1 << 19;

/** Bytes from the counts of a slice to those of the next: a table for each half. */
const ROW_BYTES: usize = 8 << PARTITION_BITS;

/**
 * Counts the digit [shift, shift + width) of `count` records into 2^width counters of type C (u32,
 * or u16 for fewer than 2^16 records) at `counts`, which are zeroed first. Floor: one record read.
 */
@inline
export function countDigit<K, P, N, C>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, counts: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<C>(width);
  memory.fill(counts, 0, sizeof<C>() << width);
  const step = stride<K, P>();
  const end = records + count * step;
  // Two records a round, as in a scatter.
  const lastRound = records + (count & ~1) * step;
  for (; records < lastRound; records += 2 * step) {
    tally<K, P, N, C>(records, flip, bias, ceiling, gap, shift, mask, counts);
    tally<K, P, N, C>(records + step, flip, bias, ceiling, gap, shift, mask, counts);
  }
  if (records < end) tally<K, P, N, C>(records, flip, bias, ceiling, gap, shift, mask, counts);
}

@inline
function tally<K, P, N, C>(
  record: usize, flip: K, bias: K, ceiling: K, gap: K, shift: u32, mask: usize, counts: usize,
): void {
  const key = keyAt<K, P>(record);
  increment<C>(counts + counterOf<K, N, C>(key, flip, bias, ceiling, gap, shift, mask));
}

/** Byte offset of the counter of a key's digit. */
@inline
function counterOf<K, N, C>(
  key: K, flip: K, bias: K, ceiling: K, gap: K, shift: u32, mask: usize,
): usize {
  if (isWindow<N>()) {
    const above = max<K>(key - bias, gap) - gap;
    return <usize>min<K>(above >> <K>shift, <K>(mask / sizeof<C>())) * sizeof<C>();
  }
  if (byMagnitude<N>()) return magnitude<K>(key - bias, shift) * sizeof<C>();
  return offset<K, C>(digits<K, N>(key, flip, bias, ceiling, gap), shift, mask);
}

/**
 * A word as a small float: its exponent and the first `mantissa` bits below its top one, with
 * gradual underflow, so that no value is left out. Keeps the order of words, and resolves small
 * words more finely than large ones. So keys of all magnitudes get different values, although the
 * top bits of most are 0.
 */
@inline
function magnitude<K>(w: K, mantissa: u32): usize {
  const zeros = <u32>clz<K>(w | (<K>1 << <K>mantissa));
  const exponent = 8 * <u32>sizeof<K>() - 1 - mantissa - zeros;
  return (<usize>exponent << mantissa) + <usize>(w >> <K>exponent);
}

@inline
export function increment<C>(counter: usize): void {
  store<C>(counter, load<C>(counter) + <C>1);
}

/** Mask of byte offsets of a digit's counters: the digit's mask, times the bytes of a counter. */
@inline
export function maskOf<C>(width: u32): usize {
  return (((<usize>1) << width) - 1) * sizeof<C>();
}

/**
 * Byte offset of a digit's counter; `mask` comes from `maskOf`. One rotation does the work of a
 * shift right by `shift` and a shift left by 2 (by 1 for u16), for every `shift`.
 */
@inline
export function offset<K, C>(w: K, shift: u32, mask: usize): usize {
  return <usize>rotr<K>(w, <K>shift - <K>(sizeof<C>() >> 1)) & mask;
}

/**
 * Moves `count` records to where `cursors` points, one cursor a digit value, each advanced past
 * what was written: 2^width addresses in bytes (u32), or numbers of records after `target` (u16).
 * Stable. Floor: one record read and one written.
 */
export function scatterDigit<K, P, N, C>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, cursors: usize, target: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<C>(width);
  const step = stride<K, P>();
  const end = records + count * step;
  // Four records a round: the engine checks for interrupts once a round, not once a record.
  const lastRound = records + (count & ~3) * step;
  for (; records < lastRound; records += 4 * step) {
    place<K, P, N, C>(records, flip, bias, ceiling, gap, shift, mask, cursors, target);
    place<K, P, N, C>(records + step, flip, bias, ceiling, gap, shift, mask, cursors, target);
    place<K, P, N, C>(records + 2 * step, flip, bias, ceiling, gap, shift, mask, cursors, target);
    place<K, P, N, C>(records + 3 * step, flip, bias, ceiling, gap, shift, mask, cursors, target);
  }
  for (; records < end; records += step) {
    place<K, P, N, C>(records, flip, bias, ceiling, gap, shift, mask, cursors, target);
  }
}

@inline
function place<K, P, N, C>(
  record: usize, flip: K, bias: K, ceiling: K, gap: K, shift: u32, mask: usize,
  cursors: usize, start: usize,
): void {
  // The key is read once, before the cursor is written: a compiler must assume that they overlap.
  const pair = stride<K, P>() > sizeof<K>() && sizeof<K>() == 4 ? load<u64>(record) : 0;
  const isPair = stride<K, P>() > sizeof<K>() && sizeof<K>() == 4;
  const key = isPair ? <K>(pair >> 32) : keyAt<K, P>(record);
  const payload = stride<K, P>() == 16 ? load<K>(record) : <K>0;
  const cursor = cursors + counterOf<K, N, C>(key, flip, bias, ceiling, gap, shift, mask);
  const at = <usize>load<C>(cursor);
  store<C>(cursor, <C>(at + (sizeof<C>() == 4 ? stride<K, P>() : 1)));
  const target = sizeof<C>() == 4 ? at : start + at * stride<K, P>();
  if (isVoid<P>()) {
    store<K>(target, key);
  } else if (sizeof<K>() == 4) {
    store<u64>(target, pair);
  } else {
    store<K>(target, payload);
    store<K>(target, key, sizeof<K>());
  }
}

/**
 * `countDigit` for both halves of `count` records, of which the first is number `first`. The counts
 * of the second half follow those of the first. `P` only matters for floats of 32 bits: other pairs
 * are counted by the same instance as bare keys. Instances are functions of their own, so that an
 * engine which optimizes a function while it runs has only the one in use to compile.
 */
export function countHalves<K, P, N>(job: Job, first: usize, count: usize, counts: usize): void {
  const order = changetype<Order>(<usize>job.order);
  const shift = job.shift;
  const width = job.width;
  const step = (<usize>1) << scaleOf(job.variant);
  let keys = <usize>job.records + first * step + step - sizeof<K>();
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<u32>(width);
  const others = counts + ((<usize>4) << width);
  memory.fill(counts, 0, (<usize>8) << width);
  const end = keys + count * step;
  const middle = keys + (count >> 1) * step;
  let second = middle;
  if (isFloat<N>() && sizeof<K>() == 4) {
    for (const stop = middle - 3 * step; keys < stop; keys += 4 * step) {
      tallyFloats<P>(keys, <u32>flip, <u32>bias, <u32>ceiling, <u32>gap, shift, mask, counts);
      tallyFloats<P>(second, <u32>flip, <u32>bias, <u32>ceiling, <u32>gap, shift, mask, others);
      second += 4 * step;
    }
  }
  // Two records a round. Four save 0.05 ns a key, and cost each page 300 bytes, gzipped.
  for (; keys < middle; keys += step) {
    tally<K, void, N, u32>(keys, flip, bias, ceiling, gap, shift, mask, counts);
    tally<K, void, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others);
    second += step;
  }
  for (; second < end; second += step) {
    tally<K, void, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others);
  }
}

/** `tally` for four records, whose keys are floats of 32 bits: SIMD makes their words. */
@inline
function tallyFloats<P>(
  key: usize, flip: u32, bias: u32, ceiling: u32, gap: u32, shift: u32, mask: usize,
  counts: usize,
): void {
  // Nothing lies after the last pair's key, so pairs are read from the payload on.
  const front = isVoid<P>() ? v128.load(key) : v128.load(key - 4);
  const keys = isVoid<P>() ? front : v128.shuffle<u32>(front, v128.load(key, 12), 1, 3, 5, 7);
  const signs = v128.and(v128.shr<i32>(keys, 31), i32x4.splat(flip));
  const images = i32x4.sub(v128.xor(i32x4.sub(keys, i32x4.splat(gap)), signs), i32x4.splat(bias));
  const words = v128.min<u32>(images, i32x4.splat(ceiling));
  const offsets = v128.and(i32x4.shl(v128.shr<u32>(words, shift), 2), i32x4.splat(<i32>mask));
  const low = v128.extract_lane<u64>(offsets, 0);
  const high = v128.extract_lane<u64>(offsets, 1);
  increment<u32>(counts + <usize>low);
  increment<u32>(counts + <usize>(low >> 32));
  increment<u32>(counts + <usize>high);
  increment<u32>(counts + <usize>(high >> 32));
}

/**
 * `scatterDigit` for both halves of `count` records, of which the first is number `start`: at the
 * same time, or one half after the other. `counts` are the slice's, as `countHalves` left them.
 * Afterwards the cursors at `job.cursors` belong to the next slice.
 */
@inline
export function scatterHalves<K, P, N>(job: Job, start: usize, count: usize, counts: usize): void {
  const order = changetype<Order>(<usize>job.order);
  const shift = job.shift;
  const width = job.width;
  const cursors = <usize>job.cursors;
  let records = <usize>job.records + start * stride<K, P>();
  // A window or magnitudes are chosen so that no value has most records.
  if (!job.atOnce || isWindow<N>() || byMagnitude<N>()) {
    scatterDigit<K, P, N, u32>(records, count, order, shift, width, cursors, 0);
    return;
  }
  const bytes = (<usize>4) << width;
  const others = cursors + bytes;
  memory.copy(others, cursors, bytes);
  addCounts(others, counts, bytes, scaleOf(job.variant));
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<u32>(width);
  const step = stride<K, P>();
  const end = records + count * step;
  const middle = records + (count >> 1) * step;
  let second = middle;
  for (; records < middle; records += step) {
    place<K, P, N, u32>(records, flip, bias, ceiling, gap, shift, mask, cursors, 0);
    place<K, P, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others, 0);
    second += step;
  }
  for (; second < end; second += step) {
    place<K, P, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others, 0);
  }
  memory.copy(cursors, others, bytes);
}

/**
 * Reads the memory that a block of a slice will be scattered to, because stores would wait for it
 * one after the other, and reads don't. `share` is the block's share of the slice, and so about its
 * share of the records of each value.
 */
export function warmTargets(job: Job, share: f64, counts: usize): void {
  const end = <usize>memory.size() << 16;
  const cursors = <usize>job.cursors;
  const others = (<usize>4) << job.width;
  const bytes = share * <f64>(1 << scaleOf(job.variant));
  for (let at: usize = 0; at < others; at += 4) {
    const n = load<u32>(counts + at) + load<u32>(counts + others + at);
    const target = <usize>load<u32>(cursors + at);
    warmUp(target, min<usize>(<usize>(<f64>n * bytes), end - target));
  }
}

/**
 * Scans the spine. `job.counts` holds the tables of `job.slices` slices as `countHalves` left them.
 * Fills the 2^width cursors at `job.cursors` with the addresses in `job.spare` to which the first
 * slice's records of each value go; the first record is number `job.start`. Fills `job.bounds` with
 * 2^width + 1 bounds of buckets, in the order of the result, followed for each bucket by one above
 * the highest bit in which its records may differ. Returns the largest bucket.
 * O(slices * 2^width).
 */
export function scanSpine(job: Job): u32 {
  const order = changetype<Order>(<usize>job.order);
  const values: u32 = 1 << job.width;
  const cursors = <usize>job.cursors;
  const target = <usize>job.spare;
  const bounds = <usize>job.bounds;
  const rests = bounds + ((<usize>4) << job.width) + 4;
  const scale = scaleOf(job.variant);
  memory.fill(cursors, 0, (<usize>4) << job.width);
  addSlices(job, 0, job.slices, 0);
  let position = job.start;
  let largest: u32 = 0;
  let most: u32 = 0;
  for (let bucket: u32 = 0; bucket < values; bucket++) {
    const place = order.descending ? values - 1 - bucket : bucket;
    const value = (job.firstValue + place) & (values - 1);
    store<u32>(bounds + ((<usize>bucket) << 2), position);
    store<u32>(rests + ((<usize>bucket) << 2), restOf(job, value));
    const cursor = cursors + ((<usize>value) << 2);
    const n = load<u32>(cursor);
    store<u32>(cursor, <u32>(target + ((<usize>position) << scale)));
    position += n;
    if (n <= most) continue;
    most = n;
    largest = bucket;
  }
  store<u32>(bounds + ((<usize>values) << 2), position);
  return largest;
}

/** Moves the cursors past the records of slices `first` to `last` - 1, which others scatter. */
export function skipSlices(job: Job, first: u32, last: u32): void {
  addSlices(job, first, last, scaleOf(job.variant));
}

/** Adds the counts of slices, times 2^scale, to the row at `job.cursors`. */
function addSlices(job: Job, first: u32, last: u32, scale: u32): void {
  const bytes = (<usize>4) << job.width;
  for (let slice = first; slice < last; slice++) {
    const counts = <usize>job.counts + <usize>slice * ROW_BYTES;
    addCounts(<usize>job.cursors, counts, bytes, scale);
    addCounts(<usize>job.cursors, counts + bytes, bytes, scale);
  }
}

/**
 * Adds `bytes` of counts, times 2^scale, to as many sums. If a digit has few values, up to three
 * words after them change as well.
 */
function addCounts(sums: usize, counts: usize, bytes: usize, scale: u32): void {
  for (let at: usize = 0; at < bytes; at += 16) {
    const four = v128.shl<i32>(v128.load(counts + at), scale);
    v128.store(sums + at, v128.add<i32>(v128.load(sums + at), four));
  }
}

/** The bytes of a record of a variant, as a power of 2. */
export function scaleOf(variant: u32): u32 {
  return 2 + (variant & KEYS_64) + ((variant & PAIRS_32) >> 1);
}

/** One above the highest bit in which records whose digit has this value may differ. */
export function restOf(job: Job, value: u32): u32 {
  if (job.variant & MAGNITUDE) {
    const exponent = value >> job.shift;
    return exponent > 0 ? exponent - 1 : 0;
  }
  const isOutside = (job.variant & WINDOW) != 0 && (value == 0 || value == (1 << job.width) - 1);
  return isOutside ? changetype<Order>(<usize>job.order).end : job.shift;
}
