/**
 * Radix sort with software write-combining: keys of a digit first gather in a buffer of one cache
 * line, and leave when it is full, sixteen at a time.
 *
 * Bytes a key: those of plain-radix.ts, with whole lines written, and 8 a pass more within the
 * first cache, where the 256 buffers stay. Operations a key: those of plain-radix.ts, one store and
 * one test more a pass, and four wide loads and stores for each sixteen keys.
 * On the paper's machines full lines went to memory by stores that leave the caches alone.
 * WebAssembly has no such stores: a line is read before it is written, as without buffers.
 * Source: Satish, Kim, Chhugani et al., "Fast sort on CPUs and GPUs", 2010, pages 351 to 362,
 * its buffers.
 */

import { countDigits } from './plain-radix';

/** Keys of a buffer: a cache line. */
const LINE: u32 = 16;

/**
 * Sorts `count` keys with as many words at `other`, 4 × 256 at `counters`, and behind them 256 ×
 * (16 + 1) for buffers and starts; `counters` begins a cache line. Stable.
 */
export function bufferedRadix(keys: usize, other: usize, count: u32, counters: usize): void {
  countDigits(keys, count, counters);
  const buffers = counters + 4 * 256 * 4;
  const begins = buffers + 256 * <usize>LINE * 4;
  let from = keys;
  let to = other;
  for (let shift: u32 = 0; shift < 32; shift += 8) {
    const places = counters + (<usize>shift >> 3) * 1024;
    memory.copy(begins, places, 1024);
    scatter(from, to, count, shift, places, buffers, begins);
    const swapped = from;
    from = to;
    to = swapped;
  }
}

function scatter(
  from: usize, to: usize, count: u32, shift: u32, places: usize, buffers: usize, begins: usize,
): void {
  const end = from + (<usize>count << 2);
  for (let at = from; at < end; at += 4) {
    const key = load<u32>(at);
    const value = <usize>((key >> shift) & 255);
    const place = load<u32>(places + (value << 2));
    const buffer = buffers + (value << 6);
    // A key waits at the place in the buffer that it will have in its line.
    store<u32>(buffer + (<usize>(place & (LINE - 1)) << 2), key);
    store<u32>(places + (value << 2), place + 1);
    if ((place & (LINE - 1)) == LINE - 1) {
      empty(to, buffer, max(place + 1 - LINE, load<u32>(begins + (value << 2))), place + 1);
    }
  }
  for (let value: usize = 0; value < 256; value++) {
    const place = load<u32>(places + (value << 2));
    const line = place & ~(LINE - 1);
    empty(to, buffers + (value << 6), max(line, load<u32>(begins + (value << 2))), place);
  }
}

/** Writes the keys for places [first, end) of one line. */
@inline
function empty(to: usize, buffer: usize, first: u32, end: u32): void {
  const line = to + (<usize>first << 2);
  if (end - first == LINE) {
    v128.store(line, v128.load(buffer));
    v128.store(line, v128.load(buffer, 16), 16);
    v128.store(line, v128.load(buffer, 32), 32);
    v128.store(line, v128.load(buffer, 48), 48);
  } else {
    for (let place = first; place < end; place++) {
      const key = load<u32>(buffer + (<usize>(place & (LINE - 1)) << 2));
      store<u32>(to + (<usize>place << 2), key);
    }
  }
}
