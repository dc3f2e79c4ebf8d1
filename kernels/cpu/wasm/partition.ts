/**
 * Partition: the upsweep and downsweep of one digit over a slice of the records, so that several
 * threads can share a pass. The spine between them (digit by thread) is scanned by the host.
 */

import { keyAt, move, Order, stride, word } from './order';

/**
 * Counts the digit [shift, shift + width) of `count` records into 2^width u32 counters at `counts`,
 * which are zeroed first. Floor: one record read.
 */
@inline
export function countDigit<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, counts: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const mask = (<K>1 << <K>width) - <K>1;
  memory.fill(counts, 0, (<usize>4) << width);
  const end = records + count * stride<K, P>();
  for (; records < end; records += stride<K, P>()) {
    const w = word<K, N>(keyAt<K, P>(records), flip, bias, ceiling);
    const counter = counts + ((<usize>((w >> <K>shift) & mask)) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
}

/**
 * Moves `count` records to where `cursors` points: 2^width addresses in bytes, one a digit value,
 * each advanced past what was written. Stable. Floor: one record read and one written.
 */
@inline
export function scatterDigit<K, P, N>(
  records: usize, count: usize, order: Order, shift: u32, width: u32, cursors: usize,
): void {
  const flip = <K>order.flip;
  const bias = <K>order.bias;
  const ceiling = <K>order.ceiling;
  const mask = (<K>1 << <K>width) - <K>1;
  const end = records + count * stride<K, P>();
  for (; records < end; records += stride<K, P>()) {
    const w = word<K, N>(keyAt<K, P>(records), flip, bias, ceiling);
    const cursor = cursors + ((<usize>((w >> <K>shift) & mask)) << 2);
    const target = <usize>load<u32>(cursor);
    store<u32>(cursor, <u32>(target + stride<K, P>()));
    move<K, P>(records, target);
  }
}
