/**
 * Partition: the upsweep and downsweep of one digit over a slice of the records, so that several
 * threads can share a pass. The spine between them, digit by half slice, every thread scans for itself.
 *
 * Where most records have the same digit, each waits for the counter or cursor that the one before has just written: 1.7 ns
 * a key instead of 0.5 and 1. So a slice is read at two places at once, its halves, with counters of their own. Other records are
 * counted in the same time so, but scattered one half after the other: floats from 0 to 1 would take a quarter longer (Zen 5).
 */

import { byMagnitude, digits, isWindow, keyAt, MAGNITUDE, Order, Split, stride, WINDOW } from './order';

/**
 * Counts the digit [shift, shift + width) of `count` records into 2^width counters of type C (u32, or u16 for fewer than 2^16
 * records) at `counts`, which are zeroed first. Floor: one record read.
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
function counterOf<K, N, C>(key: K, flip: K, bias: K, ceiling: K, gap: K, shift: u32, mask: usize): usize {
  if (isWindow<N>()) {
    const above = max<K>(key - bias, gap) - gap;
    return <usize>min<K>(above >> <K>shift, <K>(mask / sizeof<C>())) * sizeof<C>();
  }
  if (byMagnitude<N>()) return magnitude<K>(key - bias, shift) * sizeof<C>();
  return offset<K, C>(digits<K, N>(key, flip, bias, ceiling, gap), shift, mask);
}

/**
 * A word as a small float: its exponent and the first `mantissa` bits below its top one, with gradual underflow, so that no
 * value is left out. In order where words are, and finer the smaller they are: words of all magnitudes have values of their
 * own, where the top bits of most are 0.
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

/** Mask of byte offsets of a digit's counters: that of the digit, times the bytes of a counter. */
@inline
export function maskOf<C>(width: u32): usize {
  return (((<usize>1) << width) - 1) * sizeof<C>();
}

/**
 * Byte offset of a digit's counter; `mask` is of such. Rotating does what a shift right by `shift` and one left by 2 (of u16: 1)
 * do, in one operation and for every `shift`.
 */
@inline
export function offset<K, C>(w: K, shift: u32, mask: usize): usize {
  return <usize>rotr<K>(w, <K>shift - <K>(sizeof<C>() >> 1)) & mask;
}

/**
 * Moves `count` records to where `cursors` points, one a digit value, each advanced past what was written: 2^width addresses in bytes
 * (u32), or numbers of records from `target` on (u16). Stable. Floor: one record read and one written.
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
  record: usize, flip: K, bias: K, ceiling: K, gap: K, shift: u32, mask: usize, cursors: usize, start: usize,
): void {
  // The key is read once, before the cursor is written: no compiler knows that they do not overlap.
  const pair = stride<K, P>() > sizeof<K>() && sizeof<K>() == 4 ? load<u64>(record) : 0;
  const key = stride<K, P>() > sizeof<K>() && sizeof<K>() == 4 ? <K>(pair >> 32) : keyAt<K, P>(record);
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

/** `countDigit` of both halves of a slice: counts of the second half lie behind those of the first. */
@inline
export function countHalves<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, counts: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<u32>(width);
  const others = counts + ((<usize>4) << width);
  memory.fill(counts, 0, (<usize>8) << width);
  const step = stride<K, P>();
  const end = records + count * step;
  const middle = records + (count >> 1) * step;
  const lastRound = records + (count >> 2) * 2 * step;
  let second = middle;
  // Four records a round, as in a scatter.
  for (; records < lastRound; records += 2 * step) {
    tally<K, P, N, u32>(records, flip, bias, ceiling, gap, shift, mask, counts);
    tally<K, P, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others);
    tally<K, P, N, u32>(records + step, flip, bias, ceiling, gap, shift, mask, counts);
    tally<K, P, N, u32>(second + step, flip, bias, ceiling, gap, shift, mask, others);
    second += 2 * step;
  }
  if (records < middle) tally<K, P, N, u32>(records, flip, bias, ceiling, gap, shift, mask, counts);
  for (; second < end; second += step) {
    tally<K, P, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others);
  }
}

/** `scatterDigit` of both halves of a slice, with cursors as `countHalves` has counts: at once, or one after the other. */
@inline
export function scatterHalves<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, cursors: usize, atOnce: u32,
): void {
  const others = cursors + ((<usize>4) << width);
  const first = count >> 1;
  // Whoever takes another split than the digit's does so to have no such value.
  if (!atOnce || isWindow<N>() || byMagnitude<N>()) {
    const second = records + first * stride<K, P>();
    scatterDigit<K, P, N, u32>(records, first, order, shift, width, cursors, 0);
    scatterDigit<K, P, N, u32>(second, count - first, order, shift, width, others, 0);
    return;
  }
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const gap = <K>order.gap;
  const mask = maskOf<u32>(width);
  const step = stride<K, P>();
  const end = records + count * step;
  const middle = records + first * step;
  let second = middle;
  for (; records < middle; records += step) {
    place<K, P, N, u32>(records, flip, bias, ceiling, gap, shift, mask, cursors, 0);
    place<K, P, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others, 0);
    second += step;
  }
  for (; second < end; second += step) {
    place<K, P, N, u32>(second, flip, bias, ceiling, gap, shift, mask, others, 0);
  }
}

/**
 * Scans the spine, digit by half slice. `counts` holds the tables of `slices` slices as `countHalves` left them, `cursors` as many,
 * both `rowBytes` apart. Fills the cursors of all slices with the addresses where their records of each value go, `step` bytes
 * each; record 0 would go to `target`. Fills `bounds` with 2^width + 1 bounds of buckets, in numbers of records from `position` on, and
 * behind them with 2^width times one above the highest bit in which a bucket's records may differ. Buckets are in the order of
 * the result. Returns the largest one. O(slices * 2^width).
 */
export function scanSpine(
  split: Split, counts: usize, cursors: usize, rowBytes: usize, slices: u32,
  target: usize, step: usize, position: u32, bounds: usize,
): u32 {
  const values: u32 = 1 << split.width;
  const half = (<usize>4) << split.width;
  const rests = bounds + half + 4;
  let largest: u32 = 0;
  let most: u32 = 0;
  for (let bucket: u32 = 0; bucket < values; bucket++) {
    const value = (split.first + (split.descending ? values - 1 - bucket : bucket)) & (values - 1);
    const before = position;
    store<u32>(bounds + ((<usize>bucket) << 2), before);
    store<u32>(rests + ((<usize>bucket) << 2), restOf(split, value));
    let at = <usize>value << 2;
    for (let slice: u32 = 0; slice < slices; slice++) {
      store<u32>(cursors + at, <u32>(target + position * step));
      position += load<u32>(counts + at);
      store<u32>(cursors + at + half, <u32>(target + position * step));
      position += load<u32>(counts + at + half);
      at += rowBytes;
    }
    if (position - before <= most) continue;
    most = position - before;
    largest = bucket;
  }
  store<u32>(bounds + ((<usize>values) << 2), position);
  return largest;
}

/** One above the highest bit in which records of this value may differ. */
export function restOf(split: Split, value: u32): u32 {
  if (split.kind == MAGNITUDE) {
    const exponent = value >> split.shift;
    return exponent > 0 ? exponent - 1 : 0;
  }
  const isOutside = split.kind == WINDOW && (value == 0 || value == (1 << split.width) - 1);
  return isOutside ? split.end : split.shift;
}
