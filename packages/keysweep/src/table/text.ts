/**
 * Text: strings and binary values as sequences of units, which are bytes, or the 16-bit code units
 * of JavaScript's strings. Of two values that agree as far as both go, the shorter comes first.
 */

/** The values of a text column. */
export interface Text {
  readonly length: number;
  /** Bits of a unit in a word, the fewest first: narrow ones do where all values fit them. */
  readonly unitBits: readonly number[];
  /** The units of a value. */
  size(row: number): number;
  /** A unit of a value; 0 past its end. */
  unit(row: number, at: number): number;
  /** Makes a value empty. Values of nulls have to be, because nulls tie. */
  clear(row: number): void;
  /**
   * Writes words of 64 bits, the low half first: of each value the units from its depth on, as
   * many as `room` says, the first one highest, in the lowest bits of the word. Zeros stand for
   * units behind the end. Returns whether all units fitted `room.unitBits`.
   */
  fill(words: Uint32Array, room: TextRoom): boolean;
}

/** Which words to write. */
export interface TextRoom {
  /** The rows of all words; those from `from` to `to` are written. */
  readonly rows: Uint32Array;
  readonly from: number;
  readonly to: number;
  /** By word: how many units of its value are known already. 0 for all if undefined. */
  readonly depths: Uint32Array | undefined;
  /** Units in a word, and the bits of each. */
  readonly units: number;
  readonly unitBits: number;
}

/** Places in bytes, of which there may be more than 32 bits can count. */
export type Places = Uint32Array | Float64Array;

/** UTF-8 or binary values: row i has the bytes from `starts[i]` up to `ends[i]`. */
export function bytesText(bytes: Uint8Array, starts: Places, ends: Places): Text {
  const start = (row: number): number => starts[row] as number;
  const end = (row: number): number => ends[row] as number;
  const byte = (at: number): number => bytes[at] as number;
  const four = (at: number): number =>
    (byte(at) << 24) | (byte(at + 1) << 16) | (byte(at + 2) << 8) | byte(at + 3);
  return {
    length: starts.length,
    unitBits: [8],
    size: (row) => end(row) - start(row),
    unit: (row, at) => (start(row) + at < end(row) ? byte(start(row) + at) : 0),
    clear(row) {
      ends[row] = start(row);
    },
    fill(words, { rows, from, to, depths, units }) {
      for (let i = from; i < to; i++) {
        const row = rows[i] as number;
        const first = start(row) + (depths === undefined ? 0 : (depths[i] as number));
        const last = end(row);
        let [high, low] = [0, 0];
        if (units === 8 && first + 8 <= last) {
          high = four(first);
          low = four(first + 4);
        } else {
          for (let at = first; at < first + units; at++) {
            high = (high << 8) | (low >>> 24);
            low = (low << 8) | (at < last ? byte(at) : 0);
          }
        }
        words[2 * i] = low;
        words[2 * i + 1] = high;
      }
      return true;
    },
  };
}

/** JavaScript's strings, in the order of their code units; the list may be written. */
export function stringsText(strings: string[]): Text {
  const string = (row: number): string => strings[row] as string;
  return {
    length: strings.length,
    unitBits: [8, 16],
    size: (row) => string(row).length,
    unit: (row, at) => (at < string(row).length ? string(row).charCodeAt(at) : 0),
    clear(row) {
      strings[row] = '';
    },
    fill(words, { rows, from, to, depths, units, unitBits }) {
      let seen = 0;
      for (let i = from; i < to; i++) {
        const value = string(rows[i] as number);
        const first = depths === undefined ? 0 : (depths[i] as number);
        let [high, low] = [0, 0];
        for (let at = first; at < first + units; at++) {
          const code = at < value.length ? value.charCodeAt(at) : 0;
          seen |= code;
          high = (high << unitBits) | (low >>> (32 - unitBits));
          low = (low << unitBits) | code;
        }
        words[2 * i] = low;
        words[2 * i + 1] = high;
      }
      return seen < 2 ** unitBits;
    },
  };
}

/** Compares two values, beginning at unit `depth`: below 0 if row `a` comes first. */
export function compareText(text: Text, a: number, b: number, depth: number): number {
  const [sizeOfA, sizeOfB] = [text.size(a), text.size(b)];
  const shorter = Math.min(sizeOfA, sizeOfB);
  for (let at = depth; at < shorter; at++) {
    const difference = text.unit(a, at) - text.unit(b, at);
    if (difference !== 0) return difference;
  }
  return sizeOfA - sizeOfB;
}
