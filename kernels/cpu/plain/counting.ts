/**
 * Counting sort of keys that have few values, in plain TypeScript. It moves no key, and takes less
 * time than a copy into the memory of compiled code or threads. (Knuth, "The Art of Computer
 * Programming" 3, 5.2, algorithm D, without the records.)
 */

/**
 * Counters that a count of bytes takes. Four counters a value take turns, because equal keys in a
 * row would wait for one.
 */
export const BYTE_COUNTERS: number = 4 * 256;

/**
 * Adds the number of bytes of each value in `keys[from, to)` to `counters`, BYTE_COUNTERS of them:
 * the counts of a value are 256 apart. Floor: 1 byte read a key.
 */
export function countBytes(
  keys: Uint8Array,
  counters: Uint32Array,
  from: number,
  to: number,
): void {
  const lastRound = from + ((to - from) & ~3);
  let i = from;
  for (; i < lastRound; i += 4) {
    increment(counters, keys[i] as number);
    increment(counters, 256 + (keys[i + 1] as number));
    increment(counters, 512 + (keys[i + 2] as number));
    increment(counters, 768 + (keys[i + 3] as number));
  }
  for (; i < to; i++) increment(counters, keys[i] as number);
}

/**
 * Adds the number of 16-bit keys of each value in `keys[from, to)` to `counters`, 2^16 of them.
 * Floor: 2 bytes read a key.
 */
export function countHalves(
  keys: Uint16Array,
  counters: Uint32Array,
  from: number,
  to: number,
): void {
  for (let i = from; i < to; i++) increment(counters, keys[i] as number);
}

function increment(counters: Uint32Array, i: number): void {
  counters[i] = (counters[i] as number) + 1;
}

/** With at least this many equal keys, one call of `fill` is quicker than a loop. */
const FILL_FROM = 128;

/** How far the writing of values has come. */
export interface Written {
  /** Keys. */
  keys: number;
  /** Values of which all are written, or of which there are none. */
  values: number;
}

/**
 * Writes each of `values` as often as `counters` says into `keys`, in this order, from where
 * `written` says up to `end`; takes what it writes off the counters, and notes how far it has come.
 */
export function writeValues(
  keys: Uint8Array | Uint16Array,
  values: Uint8Array | Uint16Array,
  counters: Uint32Array,
  written: Written,
  end: number,
): void {
  let { keys: at, values: i } = written;
  while (at < end) {
    const value = values[i] as number;
    const count = counters[value] as number;
    const to = Math.min(at + count, end);
    counters[value] = count - (to - at);
    if (count >= FILL_FROM) {
      keys.fill(value, at, to);
      at = to;
    } else {
      while (at < to) keys[at++] = value;
    }
    if (counters[value] === 0) i++;
  }
  written.keys = at;
  written.values = i;
}
