/**
 * The loops that divide rows by the values of their words, 16 bits at a time from the top, so that every part holds no more
 * rows than are sorted at a time: a trie whose nodes are tables of 2^16 entries. An entry is the number of a part, or ~c
 * for the node c of the level below, where a value alone is too many.
 */

/** Bits of a value. */
export const VALUE_BITS = 16;

/** Values of a node. */
export const VALUES: number = 2 ** VALUE_BITS;

/**
 * Counts the rows that are at a node, by node and by the value of their word at `shift`: 2^16 counters a node. `at` has for each
 * row ~node, or the number of the part that it is in already. Floor: 8 bytes read a row.
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

/** Moves the rows that are at a node a level down, by the nodes' `tables`. Floor: 12 bytes read and written a row. */
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

/** The place of each row, by its part: `cursors` has the next one of every part, and is moved on. */
export function takePlaces(parts: Int32Array, cursors: Uint32Array, places: Uint32Array): void {
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as number;
    const place = cursors[part] as number;
    places[i] = place;
    cursors[part] = place + 1;
  }
}

/** Places one behind the other, from `first` on: of rows that stay where they are. */
export function countUp(first: number, places: Uint32Array): void {
  for (let i = 0; i < places.length; i++) places[i] = first + i;
}

/** Integers as they are moved: up to 32 bits each. */
type Integers = Uint8Array | Uint16Array | Uint32Array;

/** Moves elements of up to 32 bits to their places in `target`. */
export function moveWords(source: Integers, places: Uint32Array, target: Integers): void {
  for (let i = 0; i < places.length; i++) target[places[i] as number] = source[i] as number;
}

/** Moves elements of two words. */
export function movePairs(source: Integers, places: Uint32Array, target: Integers): void {
  for (let i = 0; i < places.length; i++) {
    const at = 2 * (places[i] as number);
    target[at] = source[2 * i] as number;
    target[at + 1] = source[2 * i + 1] as number;
  }
}

/** Writes the numbers of rows, `first` and those behind it, at their places. */
export function moveIndices(first: number, places: Uint32Array, target: Uint32Array): void {
  for (let i = 0; i < places.length; i++) target[places[i] as number] = first + i;
}
