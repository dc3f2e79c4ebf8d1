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
  const step = stride<K, P>();
  const end = records + count * step;
  // Four records a round: the engine checks for interrupts once a round, not once a record.
  const lastRound = records + (count & ~3) * step;
  for (; records < lastRound; records += 4 * step) {
    tally<K, P, N>(records, flip, bias, ceiling, shift, mask, counts);
    tally<K, P, N>(records + step, flip, bias, ceiling, shift, mask, counts);
    tally<K, P, N>(records + 2 * step, flip, bias, ceiling, shift, mask, counts);
    tally<K, P, N>(records + 3 * step, flip, bias, ceiling, shift, mask, counts);
  }
  for (; records < end; records += step) {
    tally<K, P, N>(records, flip, bias, ceiling, shift, mask, counts);
  }
}

@inline
function tally<K, P, N>(
  record: usize, flip: K, bias: K, ceiling: K, shift: u32, mask: K, counts: usize,
): void {
  const w = word<K, N>(keyAt<K, P>(record), flip, bias, ceiling);
  const counter = counts + ((<usize>((w >> <K>shift) & mask)) << 2);
  store<u32>(counter, load<u32>(counter) + 1);
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
  const step = stride<K, P>();
  const end = records + count * step;
  const lastRound = records + (count & ~3) * step;
  for (; records < lastRound; records += 4 * step) {
    place<K, P, N>(records, flip, bias, ceiling, shift, mask, cursors);
    place<K, P, N>(records + step, flip, bias, ceiling, shift, mask, cursors);
    place<K, P, N>(records + 2 * step, flip, bias, ceiling, shift, mask, cursors);
    place<K, P, N>(records + 3 * step, flip, bias, ceiling, shift, mask, cursors);
  }
  for (; records < end; records += step) {
    place<K, P, N>(records, flip, bias, ceiling, shift, mask, cursors);
  }
}

@inline
function place<K, P, N>(
  record: usize, flip: K, bias: K, ceiling: K, shift: u32, mask: K, cursors: usize,
): void {
  const w = word<K, N>(keyAt<K, P>(record), flip, bias, ceiling);
  const cursor = cursors + ((<usize>((w >> <K>shift) & mask)) << 2);
  const target = <usize>load<u32>(cursor);
  store<u32>(cursor, <u32>(target + stride<K, P>()));
  move<K, P>(record, target);
}
