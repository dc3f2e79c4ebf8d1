/**
 * Counting: the first half of a pass of up to 2^16 counters over rows (Knuth, "The Art of Computer
 * Programming" 3, 5.2, algorithm D). `placeRows` in ../plain/counting.ts is the other half: V8
 * makes the faster loop of it from plain TypeScript. The value of a key is its word from bit
 * `shift` up: see order.ts, where the formula of floats with a flip of 0 is that of integers.
 *
 * Each slice has counters of its own, so that several threads share the pass.
 */

import { Job, Order } from './blocks';
import { increment } from './partition';

/**
 * Counts the values of `count` keys from number `first` on into 2^width counters at `counts`, which
 * are zeroed first. Writes the values, of 16 bits, over the keys: those of a slice lie from its
 * first key on. Values are made by SIMD. Floor: a key read and half as much written.
 */
export function countValues(job: Job, first: usize, count: usize, counts: usize): void {
  const order = changetype<Order>(<usize>job.order);
  const flips = i32x4.splat(<i32>order.flip);
  const biases = i32x4.splat(<i32>order.bias);
  const ceilings = i32x4.splat(<i32>order.ceiling);
  const shift = job.shift;
  memory.fill(counts, 0, (<usize>4) << job.width);
  let key = <usize>job.keys + (first << 2);
  let value = key;
  const end = key + (count << 2);
  for (; key + 32 <= end; key += 32) {
    const front = valuesOf(v128.load(key), flips, biases, ceilings, shift);
    const back = valuesOf(v128.load(key, 16), flips, biases, ceilings, shift);
    v128.store(value, i16x8.narrow_i32x4_u(front, back));
    countFour(front, counts);
    countFour(back, counts);
    value += 16;
  }
  for (; key < end; key += 4) {
    const own = valuesOf(v128.load32_splat(key), flips, biases, ceilings, shift);
    store<u16>(value, v128.extract_lane<u16>(own, 0));
    increment<u32>(counts + (<usize>v128.extract_lane<u32>(own, 0) << 2));
    value += 2;
  }
}

/** The values of four keys. */
@inline
function valuesOf(keys: v128, flips: v128, biases: v128, ceilings: v128, shift: u32): v128 {
  const signs = v128.and(v128.shr<i32>(keys, 31), flips);
  const images = v128.sub<i32>(v128.xor(keys, signs), biases);
  return v128.shr<u32>(v128.min<u32>(images, ceilings), shift);
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
 * Turns the counters of `job.slices` slices at `job.counts`, table behind table, into the place in
 * the result of each slice's first row of each value. O(slices * 2^width).
 */
export function scanValues(job: Job): void {
  const order = changetype<Order>(<usize>job.order);
  const values: u32 = 1 << job.width;
  const room = (<usize>4) << job.width;
  let next: u32 = 0;
  for (let place: u32 = 0; place < values; place++) {
    const value = order.descending ? values - 1 - place : place;
    let counter = <usize>job.counts + (<usize>value << 2);
    for (let slice: u32 = 0; slice < job.slices; slice++) {
      const count = load<u32>(counter);
      store<u32>(counter, next);
      next += count;
      counter += room;
    }
  }
}
