/**
 * Range partition: divides rows by the words of a column into ranges that hold no more rows than
 * are sorted at a time. Every word of one range comes before all words of the next. Neighbouring
 * values of the top 16 bits make a range together while they fit. A value with too many rows for
 * itself is divided by the 16 bits below, and so on to whole words.
 */

import {
  type OrderedColumn,
  type OrderWords,
  orderWords,
  roomForWords,
  slicesOf,
  traitsOf,
} from '@keysweep/core';
import { countValues, descend, takeTargets, VALUE_BITS, VALUES } from '@keysweep/kernels/cpu';

/** Rows between two pauses: some tenths of a millisecond. */
export const STEP: number = 2 ** 14;

/** Rows whose words lie in one range. */
export interface Range {
  /** The smallest word that would be in it. */
  readonly first: bigint;
  readonly rows: number;
  /** Whether they all have the same word, and are more than a part may have. */
  readonly isTied: boolean;
}

/** The nodes of a trie that look at the same bits. */
interface Level {
  /** The lowest of the bits of a word that they look at. */
  readonly bit: number;
  /** An entry for each value, node by node: the number of a range, or ~node of the level below. */
  readonly tables: Int32Array;
}

/**
 * Divides a column into ranges of at most `most` rows. One read of the column for each 16 bits that
 * it takes to divide the words, at most four; allocates 512 KiB for each value that is divided
 * further.
 */
export function* partitionByRange(
  column: OrderedColumn,
  most: number,
): Generator<undefined, RangePartition> {
  const { keys } = column;
  const finder = new Finder(column);
  const ranges: Range[] = [];
  let nodes: readonly bigint[] = [0n];
  for (let bit = Math.max(traitsOf(keys).bits, VALUE_BITS) - VALUE_BITS; nodes.length > 0; ) {
    const counts = new Uint32Array(nodes.length * VALUES);
    for (const [from, to] of slicesOf(keys.length, STEP)) {
      const { words, at } = finder.find(from, to);
      countValues(halfAt(words, bit), bit % 32, at, counts);
      yield;
    }
    const tables = new Int32Array(counts.length);
    const below: bigint[] = [];
    for (const [node, first] of nodes.entries()) {
      const [from, to] = [node * VALUES, (node + 1) * VALUES];
      const divided = {
        first,
        bit,
        counts: counts.subarray(from, to),
        table: tables.subarray(from, to),
      };
      group(divided, most, ranges, below);
      yield;
    }
    finder.levels.push({ bit, tables });
    nodes = below;
    bit -= VALUE_BITS;
  }
  return new RangePartition(finder, ranges);
}

/** A node whose rows are counted, and whose entries are to be made. */
interface Node {
  /** The smallest word that would be at it. */
  readonly first: bigint;
  readonly bit: number;
  readonly counts: Uint32Array;
  readonly table: Int32Array;
}

/** Puts the values of a node into ranges; a value that is divided further is a node `below`. */
function group(
  { first, bit, counts, table }: Node,
  most: number,
  ranges: Range[],
  below: bigint[],
): void {
  let open: { first: bigint; rows: number; isTied: boolean } | undefined;
  for (let value = 0; value < VALUES; value++) {
    const rows = counts[value] as number;
    const isTooMany = rows > most;
    if (isTooMany && bit > 0) {
      table[value] = ~below.length;
      below.push(first + (BigInt(value) << BigInt(bit)));
      open = undefined;
      continue;
    }
    if (open === undefined || open.rows + rows > most) {
      open = { first: first + (BigInt(value) << BigInt(bit)), rows: 0, isTied: isTooMany };
      ranges.push(open);
    }
    open.rows += rows;
    table[value] = ranges.length - 1;
    if (isTooMany) open = undefined;
  }
}

/** The half of each word that has bit `bit`. */
const halfAt = ({ lows, highs }: OrderWords, bit: number): Uint32Array => (bit < 32 ? lows : highs);

/** Finds rows in the trie, a slice of at most `STEP` at a time. */
class Finder {
  /** As far as the trie is made, the root first. */
  readonly levels: Level[] = [];
  readonly #column: OrderedColumn;
  readonly #words: OrderWords;
  readonly #at: Int32Array = new Int32Array(STEP);

  constructor(column: OrderedColumn) {
    this.#column = column;
    this.#words = roomForWords(column, STEP);
  }

  /**
   * The words of rows `from` to `to` - 1, and the range of each, or ~node where the trie ends.
   * Valid until the next call.
   */
  find(from: number, to: number): { readonly words: OrderWords; readonly at: Int32Array } {
    const keys = this.#column.keys.subarray(from, to);
    const words = orderWords({ ...this.#column, keys }, this.#words);
    const at = this.#at.subarray(0, to - from).fill(-1);
    for (const { bit, tables } of this.levels) descend(halfAt(words, bit), bit % 32, tables, at);
    return { words, at };
  }
}

/** Ranges, and the way of each row to its own. */
export class RangePartition {
  /** In the order of their words. */
  readonly ranges: readonly Range[];
  readonly #finder: Finder;
  /** The next free row of each range, by its number. */
  readonly #cursors: Uint32Array;

  /** `ranges` by their numbers. */
  constructor(finder: Finder, ranges: readonly Range[]) {
    this.#finder = finder;
    this.ranges = ranges.toSorted((a, b) => (a.first < b.first ? -1 : 1));
    const starts = new Map<Range, number>();
    let start = 0;
    for (const range of this.ranges) {
      starts.set(range, start);
      start += range.rows;
    }
    this.#cursors = Uint32Array.from(ranges, (range) => starts.get(range) as number);
  }

  /**
   * Writes where the column's rows from `from` on go, so that ranges lie one after the other and
   * rows keep their order. To be called once for each row, from the first one on.
   */
  findTargets(from: number, targets: Uint32Array): void {
    takeTargets(this.#finder.find(from, from + targets.length).at, this.#cursors, targets);
  }
}
