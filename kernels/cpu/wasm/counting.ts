/**
 * Counted rows: a counting sort by values of up to 17 bits (Knuth, "The Art of Computer
 * Programming" 3, 5.2, algorithm D) that moves no key. The value of a key is its word from bit
 * `shift` up: see order.ts, whose formula for floats becomes that for integers if the flip is 0.
 *
 * If the order has a scale, the number of equal steps from the least key up to this one is added,
 * because words alone are fine near zero and coarse far from it. Both summands only go up with the
 * key, so keys with equal sums agree in both: a sum of 17 bits tells apart whatever 16 bits of the
 * word or 2^16 equal steps do. Steps are computed with doubles, which err by less than the scale
 * has to spare: see sort/counted-values.ts in packages/cpu.
 *
 * Rows are split by the top digit of their values first, because writes to all 2^width places would
 * miss the caches: the split writes to 2^digitWidth places at a time, and each digit then to its
 * 2^(width - digitWidth) ones. A digit is the work of one thread, because two threads that write
 * between each other's rows would wait for the same cache lines.
 *
 * Each slice has a table of its own: 2^width counters of values, then 2^digitWidth of digits.
 */

import { Job, Order } from './blocks';
import { increment } from './partition';

/** Bytes of a table. */
@inline
function tableBytes(job: Job): usize {
  return ((<usize>4) << job.width) + ((<usize>4) << job.digitWidth);
}

/** Bits of a value below its digit. */
@inline
function restOf(job: Job): u32 {
  return job.width - job.digitWidth;
}

/**
 * Counts the values of `count` keys in a table, and writes them over the keys, of which the first
 * is number `first`. In descending order values are inverted. SIMD makes the values. Floor: a key
 * read and as much written.
 */
export function countValues(job: Job, first: usize, count: usize, table: usize): void {
  memory.fill(table, 0, (<usize>4) << job.width);
  const order = changetype<Order>(<usize>job.order);
  const flips = i32x4.splat(<i32>order.flip);
  const biases = i32x4.splat(<i32>order.bias);
  const ceilings = i32x4.splat(<i32>order.ceiling);
  const inverted = i32x4.splat(order.descending ? (1 << job.width) - 1 : 0);
  const least = f64x2.splat(reinterpret<f64>(order.least));
  const scale = f64x2.splat(reinterpret<f64>(order.scale));
  const shift = job.shift;
  // Keys that are not floats have no steps.
  const mask = i32x4.splat(order.scale == 0 ? 0 : -1);
  let key = <usize>job.keys + (first << 2);
  const end = key + (count << 2);
  for (; key + 16 <= end; key += 16) {
    const keys = v128.load(key);
    const words = valuesOf(keys, flips, biases, ceilings, shift);
    const steps = v128.and(stepsOf(keys, least, scale), mask);
    const values = v128.xor(v128.add<i32>(words, steps), inverted);
    v128.store(key, values);
    countFour(values, table);
  }
  for (; key < end; key += 4) {
    const keys = v128.load32_splat(key);
    const words = valuesOf(keys, flips, biases, ceilings, shift);
    const steps = v128.and(stepsOf(keys, least, scale), mask);
    const value = v128.extract_lane<u32>(v128.xor(v128.add<i32>(words, steps), inverted), 0);
    store<u32>(key, value);
    increment<u32>(table + (<usize>value << 2));
  }
  addDigits(job, table);
}

/** Adds up the counters of each digit. */
function addDigits(job: Job, table: usize): void {
  const valuesEnd = table + ((<usize>4) << job.width);
  const room = (<usize>4) << restOf(job);
  let counter = table;
  for (let digit = valuesEnd; counter < valuesEnd; digit += 4) {
    let sum: u32 = 0;
    for (const digitEnd = counter + room; counter < digitEnd; counter += 4) {
      sum += load<u32>(counter);
    }
    store<u32>(digit, sum);
  }
}

/** The values of four keys by their words only. */
@inline
function valuesOf(keys: v128, flips: v128, biases: v128, ceilings: v128, shift: u32): v128 {
  const signs = v128.and(v128.shr<i32>(keys, 31), flips);
  const images = v128.sub<i32>(v128.xor(keys, signs), biases);
  return v128.shr<u32>(v128.min<u32>(images, ceilings), shift);
}

/**
 * How many steps four floats are from the least one, rounded. Added to 2^52, a double has a whole
 * number in its lower half.
 */
@inline
function stepsOf(keys: v128, least: v128, scale: v128): v128 {
  const whole = f64x2.splat(4503599627370496.0);
  const front = f64x2.promote_low_f32x4(keys);
  const back = f64x2.promote_low_f32x4(v128.shuffle<i32>(keys, keys, 2, 3, 2, 3));
  const ofFront = f64x2.add(f64x2.mul(f64x2.sub(front, least), scale), whole);
  const ofBack = f64x2.add(f64x2.mul(f64x2.sub(back, least), scale), whole);
  return v128.shuffle<i32>(ofFront, ofBack, 0, 2, 4, 6);
}

@inline
function countFour(values: v128, counts: usize): void {
  const low = v128.extract_lane<u64>(values, 0);
  const high = v128.extract_lane<u64>(values, 1);
  increment<u32>(counts + (<usize>(<u32>low) << 2));
  increment<u32>(counts + (<usize>(low >> 32) << 2));
  increment<u32>(counts + (<usize>(<u32>high) << 2));
  increment<u32>(counts + (<usize>(high >> 32) << 2));
}

/**
 * Writes the bounds of all digits, and the cursors of a slice: where in `spare` its first row of
 * each digit goes. O(slices * 2^digitWidth).
 */
export function scanDigits(job: Job, slice: u32): void {
  const room = (<usize>4) << job.digitWidth;
  const step = tableBytes(job);
  const digits = <usize>job.counts + ((<usize>4) << job.width);
  let next: u32 = 0;
  for (let at: usize = 0; at < room; at += 4) {
    store<u32>(<usize>job.bounds + at, next);
    let counter = digits + at;
    for (let i: u32 = 0; i < job.slices; i++, counter += step) {
      if (i == slice) store<u32>(<usize>job.cursors + at, job.spare + (next << 2));
      next += load<u32>(counter);
    }
  }
  store<u32>(<usize>job.bounds + room, next);
}

/**
 * Writes a word for each of `count` rows from number `first` on to the cursor of its digit, and
 * moves that on. The upper bits of the word hold the bits of the value that are left, the others
 * the row. Floor: a value read and a word written.
 */
export function splitRows(job: Job, first: u32, count: usize): void {
  const cursors = <usize>job.cursors;
  const rest = restOf(job);
  const rows = <usize>job.values;
  let value = <usize>job.keys + (<usize>first << 2);
  let row = first;
  const end = value + (count << 2);
  for (; value + 8 <= end; value += 8, row += 2) {
    const two = load<u64>(value);
    splitRow(cursors, <u32>two, rest, rowAt(rows, row));
    splitRow(cursors, <u32>(two >> 32), rest, rowAt(rows, row + 1));
  }
  if (value < end) splitRow(cursors, load<u32>(value), rest, rowAt(rows, row));
}

/** The row that stands at a place in `rows`; the place itself if rows are not given. */
@inline
function rowAt(rows: usize, place: u32): u32 {
  return rows == 0 ? place : load<u32>(rows + (<usize>place << 2));
}

/** If no bits of the value are left, the word is the row. */
@inline
function splitRow(cursors: usize, value: u32, rest: u32, row: u32): void {
  const left = value & ((1 << rest) - 1);
  put(cursors + (<usize>(value >> rest) << 2), (left << (32 - rest)) | row);
}

/** Writes a word where a cursor points, and moves that on. */
@inline
function put(cursor: usize, word: u32): void {
  const at = load<u32>(cursor);
  store<u32>(cursor, at + 4);
  store<u32>(<usize>at, word);
}

/**
 * Brings the rows of `count` split words in `records`, from number `first` on, to their places in
 * `spare`. `digit` is that of the first one. In a digit that does not begin with the first one it
 * goes on where the call before has ended. Floor: a word read and a row written.
 */
export function placeRows(job: Job, digit: u32, first: u32, count: u32): void {
  const cursors = <usize>job.cursors;
  const rest = restOf(job);
  const shift = 32 - rest;
  const mask: u32 = (1 << shift) - 1;
  const last = first + count;
  for (; first < last; digit++) {
    const bound = <usize>job.bounds + (<usize>digit << 2);
    const digitEnd = min<u32>(load<u32>(bound, 4), last);
    if (first < digitEnd && first == load<u32>(bound)) scanValues(job, digit, first);
    let word = <usize>job.records + (<usize>first << 2);
    const end = <usize>job.records + (<usize>digitEnd << 2);
    for (; word + 8 <= end; word += 8) {
      const two = load<u64>(word);
      placeRow(cursors, <u32>two, shift, mask);
      placeRow(cursors, <u32>(two >> 32), shift, mask);
    }
    if (word < end) placeRow(cursors, load<u32>(word), shift, mask);
    first = digitEnd;
  }
}

@inline
function placeRow(cursors: usize, word: u32, shift: u32, mask: u32): void {
  put(cursors + (<usize>(word >> shift) << 2), word & mask);
}

/** Writes the cursors of a digit's values, of which the first goes to number `next`. */
function scanValues(job: Job, digit: u32, next: u32): void {
  const room = (<usize>4) << restOf(job);
  const counters = <usize>job.counts + digit * room;
  const step = tableBytes(job);
  for (let at: usize = 0; at < room; at += 4) {
    store<u32>(<usize>job.cursors + at, job.spare + (next << 2));
    let counter = counters + at;
    for (let slice: u32 = 0; slice < job.slices; slice++, counter += step) {
      next += load<u32>(counter);
    }
  }
}
