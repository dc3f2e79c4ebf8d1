/**
 * Gather: rows in an order. Floor: order and result read or written once, and one read at random a
 * row, which misses the caches where the source is larger than they are. A module of its own.
 */

import { Gather } from './blocks';

/**
 * Writes the rows `first` to `first` + n - 1 of the target. Returns 1 where one of their numbers is
 * beyond the source, and else 0.
 */
export function gather(block: Gather, first: usize, n: usize): u32 {
  switch (block.width) {
    case 1: return moveElements<u8>(block, first, n);
    case 2: return moveElements<u16>(block, first, n);
    case 4: return moveElements<u32>(block, first, n);
    case 8: return moveElements<u64>(block, first, n);
    case 16: return moveElements<v128>(block, first, n);
    default:
      return block.width % 16 == 0
        ? moveVectors(block, first, n)
        : moveBytes(block, first, n);
  }
}

/** Rows of the width of T. */
@inline
function moveElements<T>(block: Gather, first: usize, n: usize): u32 {
  const source = <usize>block.source;
  const rows = block.rows;
  let order = <usize>block.order + (first << 2);
  let target = <usize>block.target + first * sizeof<T>();
  for (const end = order + (n << 2); order < end; order += 4) {
    const row = load<u32>(order);
    if (row >= rows) return 1;
    store<T>(target, load<T>(source + <usize>row * sizeof<T>()));
    target += sizeof<T>();
  }
  return 0;
}

/** Rows of several times 16 bytes: sooner than by a call for each row. */
function moveVectors(block: Gather, first: usize, n: usize): u32 {
  const source = <usize>block.source;
  const rows = block.rows;
  const width = <usize>block.width;
  let order = <usize>block.order + (first << 2);
  let target = <usize>block.target + first * width;
  for (const end = order + (n << 2); order < end; order += 4) {
    const row = load<u32>(order);
    if (row >= rows) return 1;
    let from = source + <usize>row * width;
    for (const last = target + width; target < last; target += 16, from += 16) {
      v128.store(target, v128.load(from));
    }
  }
  return 0;
}

/** Rows of any width. */
function moveBytes(block: Gather, first: usize, n: usize): u32 {
  const source = <usize>block.source;
  const rows = block.rows;
  const width = <usize>block.width;
  let order = <usize>block.order + (first << 2);
  let target = <usize>block.target + first * width;
  for (const end = order + (n << 2); order < end; order += 4) {
    const row = load<u32>(order);
    if (row >= rows) return 1;
    memory.copy(target, source + <usize>row * width, width);
    target += width;
  }
  return 0;
}
