/**
 * Gather: rows in an order. Floor: order and result read or written once, and one read at random a
 * row, which misses the caches where the source is larger than they are. A module of its own.
 */

import { Gather } from './blocks';

/** Whether one of the numbers of rows `first` to `first` + n - 1 is beyond the source. */
export function isBeyond(block: Gather, first: usize, n: usize): bool {
  let order = <usize>block.order + (first << 2);
  const end = order + (n << 2);
  let most = i32x4.splat(0);
  for (; order + 16 <= end; order += 16) most = v128.max<u32>(most, v128.load(order));
  let row = max(
    max(v128.extract_lane<u32>(most, 0), v128.extract_lane<u32>(most, 1)),
    max(v128.extract_lane<u32>(most, 2), v128.extract_lane<u32>(most, 3)),
  );
  for (; order < end; order += 4) row = max(row, load<u32>(order));
  return n > 0 && row >= block.rows;
}

/** Writes the rows `first` to `first` + n - 1 of the target, once `isBeyond` has seen them all. */
export function gather(block: Gather, first: usize, n: usize): void {
  switch (block.width) {
    case 1: { moveElements<u8>(block, first, n); break; }
    case 2: { moveElements<u16>(block, first, n); break; }
    case 4: { moveElements<u32>(block, first, n); break; }
    case 8: { moveElements<u64>(block, first, n); break; }
    case 16: { moveElements<v128>(block, first, n); break; }
    default: {
      if (block.width % 16 == 0) moveVectors(block, first, n);
      else moveBytes(block, first, n);
    }
  }
}

/** Rows of the width of T. */
@inline
function moveElements<T>(block: Gather, first: usize, n: usize): void {
  const source = <usize>block.source;
  let order = <usize>block.order + (first << 2);
  let target = <usize>block.target + first * sizeof<T>();
  for (const end = order + (n << 2); order < end; order += 4) {
    const row = load<u32>(order);
    store<T>(target, load<T>(source + <usize>row * sizeof<T>()));
    target += sizeof<T>();
  }
}

/** Rows of several times 16 bytes: sooner than by a call for each row. */
function moveVectors(block: Gather, first: usize, n: usize): void {
  const source = <usize>block.source;
  const width = <usize>block.width;
  let order = <usize>block.order + (first << 2);
  let target = <usize>block.target + first * width;
  for (const end = order + (n << 2); order < end; order += 4) {
    const row = load<u32>(order);
    let from = source + <usize>row * width;
    for (const last = target + width; target < last; target += 16, from += 16) {
      v128.store(target, v128.load(from));
    }
  }
}

/** Rows of any width. */
function moveBytes(block: Gather, first: usize, n: usize): void {
  const source = <usize>block.source;
  const width = <usize>block.width;
  let order = <usize>block.order + (first << 2);
  let target = <usize>block.target + first * width;
  for (const end = order + (n << 2); order < end; order += 4) {
    const row = load<u32>(order);
    memory.copy(target, source + <usize>row * width, width);
    target += width;
  }
}
