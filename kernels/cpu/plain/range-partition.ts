/**
 * The loops that divide rows by the values of their words, 16 bits at a time from the top, so that
 * every range holds no more rows than are sorted at a time. A trie has nodes that are tables of
 * 2^16 entries. An entry is the number of a range, or ~c for the node c of the level below, where
 * one value has too many rows.
 */

/** Bits of a value. */
export const VALUE_BITS = 16;

/** Values of a node. */
export const VALUES: number = 2 ** VALUE_BITS;

/**
 * Counts the rows that are at a node, by node and by the value of their word at `shift`: 2^16
 * counters a node. `at` has for each row ~node, or the number of the range that it is in already.
 * Floor: 8 bytes read a row.
 */
export function countValues(
  words: Uint32Array,
  shift: number,
  at: Int32Array,
  counts: Uint32Array,
): void {
  for (let i = 0; i < words.length; i++) {
    const where = at[i] as number;
    if (where >= 0) continue;
    const entry = ~where * VALUES + (((words[i] as number) >>> shift) & (VALUES - 1));
    counts[entry] = (counts[entry] as number) + 1;
  }
}

/**
 * Moves the rows that are at a node a level down, by the nodes' `tables`. Floor: 12 bytes read and
 * written a row.
 */
export function descend(
  words: Uint32Array,
  shift: number,
  tables: Int32Array,
  at: Int32Array,
): void {
  for (let i = 0; i < words.length; i++) {
    const where = at[i] as number;
    if (where >= 0) continue;
    const value = ((words[i] as number) >>> shift) & (VALUES - 1);
    at[i] = tables[~where * VALUES + value] as number;
  }
}

/**
 * Where each row goes, by its range: `cursors` has every range's next free row, and is moved on.
 */
export function takeTargets(ranges: Int32Array, cursors: Uint32Array, targets: Uint32Array): void {
  for (let i = 0; i < ranges.length; i++) {
    const range = ranges[i] as number;
    const target = cursors[range] as number;
    targets[i] = target;
    cursors[range] = target + 1;
  }
}

/** The places of rows that stay where they are: `first`, `first` + 1 and so on. */
export function sameTargets(first: number, targets: Uint32Array): void {
  for (let i = 0; i < targets.length; i++) targets[i] = first + i;
}

/** Integers as they are moved: up to 32 bits each. */
type Integers = Uint8Array | Uint16Array | Uint32Array;

/** Moves elements of up to 32 bits to their targets in `result`. */
export function moveWords(source: Integers, targets: Uint32Array, result: Integers): void {
  for (let i = 0; i < targets.length; i++) result[targets[i] as number] = source[i] as number;
}

/** Moves elements of two words. */
export function movePairs(source: Integers, targets: Uint32Array, result: Integers): void {
  for (let i = 0; i < targets.length; i++) {
    const at = 2 * (targets[i] as number);
    result[at] = source[2 * i] as number;
    result[at + 1] = source[2 * i + 1] as number;
  }
}

/** Writes the numbers of rows, `first` and on, at their targets. */
export function moveIndices(first: number, targets: Uint32Array, result: Uint32Array): void {
  for (let i = 0; i < targets.length; i++) result[targets[i] as number] = first + i;
}
