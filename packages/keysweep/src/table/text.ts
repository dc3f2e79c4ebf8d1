/**
 * Text: strings and binary values as sequences of units, which are bytes, or the 16-bit code units
 * of JavaScript's strings. Of two values that agree as far as both go, the shorter comes first.
 */

/** The values of a text column. */
export interface Text {
  readonly length: number;
  /** Bits of a unit in a word: as many as the largest unit needs. */
  readonly unitBits: number;
  /** The units of a value. */
  size(row: number): number;
  /** A unit of a value; 0 past its end. */
  unit(row: number, at: number): number;
  /** Compares two values, beginning at unit `depth`: below 0 if row `a` comes first. */
  compare(a: number, b: number, depth: number): number;
  /** Makes a value empty. Values of nulls have to be, because nulls tie. */
  clear(row: number): void;
  /**
   * Writes words of 64 bits, the low half first: of each value the units from its depth on, as
   * many as `room` says, the first one highest, in the lowest bits of the word. Zeros stand for
   * units past the end.
   */
  fill(words: Uint32Array, room: TextRoom): void;
}

/** Which words to write. */
interface TextRoom {
  /** The rows of all words; those from `from` to `to` are written. */
  readonly rows: Uint32Array;
  readonly from: number;
  readonly to: number;
  /** How many units of each word's value are known already. 0 for all if undefined. */
  readonly depths: Uint32Array | undefined;
  /** Units in a word. */
  readonly units: number;
}

/** Where values begin or end, in units, of which there may be more than 32 bits can count. */
export type UnitOffsets = Uint32Array | Float64Array;

/** Room for the offsets of `rows` values in `length` units. */
export const newOffsets = (length: number, rows: number): UnitOffsets =>
  new (length < 2 ** 32 ? Uint32Array : Float64Array)(rows);

/**
 * Values whose units lie one after the other, each below 2 ** unitBits: row i has the units from
 * `starts[i]` up to `ends[i]`.
 */
export function unitsText(
  all: Uint8Array | Uint16Array,
  starts: UnitOffsets,
  ends: UnitOffsets,
  unitBits = 8,
): Text {
  const start = (row: number): number => starts[row] as number;
  const end = (row: number): number => ends[row] as number;
  const unit = (at: number): number => all[at] as number;
  const four = (at: number): number =>
    (unit(at) << 24) | (unit(at + 1) << 16) | (unit(at + 2) << 8) | unit(at + 3);
  return {
    length: starts.length,
    unitBits,
    size: (row) => end(row) - start(row),
    unit: (row, at) => (start(row) + at < end(row) ? unit(start(row) + at) : 0),
    compare(a, b, depth) {
      const [sizeOfA, sizeOfB] = [end(a) - start(a), end(b) - start(b)];
      const stop = start(a) + Math.min(sizeOfA, sizeOfB);
      for (let at = start(a) + depth, other = start(b) + depth; at < stop; at++, other++) {
        const difference = unit(at) - unit(other);
        if (difference !== 0) return difference;
      }
      return sizeOfA - sizeOfB;
    },
    clear(row) {
      ends[row] = start(row);
    },
    fill(words, { rows, from, to, depths, units }) {
      for (let i = from; i < to; i++) {
        const row = rows[i] as number;
        const first = start(row) + (depths === undefined ? 0 : (depths[i] as number));
        const last = end(row);
        let [high, low] = [0, 0];
        if (unitBits === 8 && units === 8 && first + 8 <= last) {
          high = four(first);
          low = four(first + 4);
        } else {
          for (let at = first; at < first + units; at++) {
            high = (high << unitBits) | (low >>> (32 - unitBits));
            low = (low << unitBits) | (at < last ? unit(at) : 0);
          }
        }
        words[2 * i] = low;
        words[2 * i + 1] = high;
      }
    },
  };
}
