/**
 * Counting: the first half of a pass of up to 2^16 counters over rows (Knuth, "The Art of Computer
 * Programming" 3, 5.2, algorithm D). `placeRows` in ../plain/counting.ts is the other half: V8
 * makes the faster loop of it from plain TypeScript. The value of a key is its word from bit
 * `shift` up: see order.ts, where the formula of floats with a flip of 0 is that of integers.
 *
 * Each slice has counters of its own, so that several threads share the pass.
 */

import { Job, Order } from './blocks';
import { word } from './order';
import { increment } from './partition';

/**
 * Counts the values of `count` keys from number `first` on into 2^width counters at `counts`, which
 * are zeroed first. Writes the values, of 16 bits, over the keys: those of a slice lie from its
 * first key on. Floor: a key read and half as much written.
 */
export function countValues(job: Job, first: usize, count: usize, counts: usize): void {
  const order = changetype<Order>(<usize>job.order);
  const flip = <u32>order.flip;
  const bias = <u32>order.bias;
  const ceiling = <u32>order.ceiling;
  const shift = job.shift;
  memory.fill(counts, 0, (<usize>4) << job.width);
  let key = <usize>job.keys + (first << 2);
  let value = key;
  for (const end = key + (count << 2); key < end; key += 4) {
    const own = word<u32, f32>(load<u32>(key), flip, bias, ceiling, 0) >> shift;
    store<u16>(value, <u16>own);
    increment<u32>(counts + (<usize>own << 2));
    value += 2;
  }
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
