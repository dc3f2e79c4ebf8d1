/**
 * What the twins of kernels/wgsl and kernels/cpu have in common: they know buffers by
 * the names in the kernels.
 */

/** A dispatch: its numbers, and its buffers, which it changes. Pairs are two words each. */
export interface Stage {
  /** The fields of `Params`. */
  readonly params: Readonly<Record<string, number>>;
  /** By the variables of the shader. */
  readonly buffers: Readonly<Record<string, Uint32Array>>;
  /** TILE and the like. */
  readonly constants: Readonly<Record<string, number>>;
}

/** Does in plain TypeScript what the dispatch does. */
export type Twin = (stage: Stage) => void;

/** The number of that name; a buffer of that name. @throws Error where the stage has none. */
export function numberOf(numbers: Readonly<Record<string, number>>, name: string): number {
  const number = numbers[name];
  if (number === undefined) throw new Error(`the stage has no number '${name}'`);
  return number;
}
export function bufferOf({ buffers }: Stage, name: string): Uint32Array {
  const buffer = buffers[name];
  if (buffer === undefined) throw new Error(`the stage has no buffer '${name}'`);
  return buffer;
}

/** The element at `i`, which is there. */
export const at = (array: Uint32Array | readonly number[], i: number): number => array[i] as number;

/** Calls `each` with the places of every tile: [start, end). */
export function eachTile(
  { params, constants }: Stage,
  each: (start: number, end: number, tile: number) => void,
): void {
  const count = numberOf(params, 'count');
  const size = numberOf(constants, 'TILE');
  for (let start = 0; start < count; start += size) {
    each(start, Math.min(start + size, count), start / size);
  }
}

/** Writes record `from` of the source to `to` of the target. */
export function move(stage: Stage, from: number, to: number): void {
  const { sourceValues, targetValues } = stage.buffers;
  bufferOf(stage, 'targetKeys')[to] = at(bufferOf(stage, 'sourceKeys'), from);
  if (sourceValues && targetValues) targetValues[to] = at(sourceValues, from);
}

/** Writes records of the source, in this order, from place `to` of the target on. */
export function moveAll(stage: Stage, order: readonly number[], to: number): void {
  for (const [i, from] of order.entries()) move(stage, from, to + i);
}

/** The places [start, end) of `keys`, in order of their keys, or of what `of` makes of them. */
export function placesInOrder(
  keys: Uint32Array,
  start: number,
  end: number,
  of: (key: number) => number = (key) => key,
): number[] {
  const places = Array.from({ length: end - start }, (_, i) => start + i);
  return places.sort((a, b) => of(at(keys, a)) - of(at(keys, b)) || a - b);
}

/** Counts the digits of each tile's keys into rows of a count a tile. */
export function countRows(stage: Stage, digits: number, digitOf: (place: number) => number): void {
  const [counts, tiles] = [bufferOf(stage, 'counts'), numberOf(stage.params, 'tiles')];
  eachTile(stage, (start, end, tile) => {
    for (let digit = 0; digit < digits; digit++) counts[digit * tiles + tile] = 0;
    for (let i = start; i < end; i++) {
      const row = digitOf(i) * tiles + tile;
      counts[row] = at(counts, row) + 1;
    }
  });
}

/** Calls `each` with every place and where its record goes by its digit; `counts` are scanned. */
export function eachByRows(
  stage: Stage,
  digitOf: (place: number) => number,
  each: (from: number, to: number) => void,
): void {
  const [counts, tiles] = [bufferOf(stage, 'counts'), numberOf(stage.params, 'tiles')];
  eachTile(stage, (start, end, tile) => {
    const before = new Map<number, number>();
    for (let i = start; i < end; i++) {
      const digit = digitOf(i);
      const rank = before.get(digit) ?? 0;
      before.set(digit, rank + 1);
      each(i, at(counts, digit * tiles + tile) + rank);
    }
  });
}
