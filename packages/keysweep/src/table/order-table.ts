/**
 * Orders a table: sorts all rows by the word of the first stage, then rows that tie by the word of
 * the next, and so on. What sorts is a request to whoever drives the steps.
 *
 * Strings are sorted by 8 bytes at a time, only where all bytes before agree, as in a radix sort
 * from the first byte on (McIlroy, Bostic and McIlroy, "Engineering radix sort", 1993). Bytes that
 * all strings of a group have in common are passed over.
 */

import {
  FIELD_ROWS,
  type FieldKernels,
  identitySteps,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  plainShape,
  type SortRequest,
  type SpellRequest,
  slicesOf,
} from '@keysweep/core';
import type { CheckedColumn } from './column.js';
import type { Rows } from './fields.js';
import {
  type OrderedText,
  type Stage,
  stagesOf,
  type Words,
  wordsOf,
  wordsWithText,
} from './stages.js';
import type { Text } from './text.js';

/**
 * Steps that yield requests, and are given the permutation of an argsort for them; undefined where
 * there may be a pause. Nobody has to serve a request to spell strings.
 */
export type TableSteps<T> = Generator<
  SortRequest | SpellRequest | undefined,
  T,
  Uint32Array | undefined
>;

/** Whether a request is to sort. */
export const isSort = (request: SortRequest | SpellRequest): request is SortRequest =>
  'shape' in request;

/** What a table is ordered by. */
export interface Table {
  readonly columns: readonly CheckedColumn[];
  readonly rows: Rows;
  readonly precision: 16 | 24 | undefined;
  /** Starts of segments of the rows. */
  readonly segments: Uint32Array | undefined;
  readonly kernels: FieldKernels;
  readonly signal: SortRequest['signal'];
  readonly onProgress: SortRequest['onProgress'];
}

/**
 * Groups of rows that tie so far: places [starts[i], ends[i]) of the order, whose texts agree in
 * `depths[i]` units.
 */
export class Ties {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly depths: number[] = [];

  get count(): number {
    return this.starts.length;
  }

  /** Adds a group, unless it is of one row or none. */
  add(start: number, end: number, depth = 0): void {
    if (end - start < 2) return;
    this.starts.push(start);
    this.ends.push(end);
    this.depths.push(depth);
  }

  /** Where each group starts, one behind the other. */
  segments(): Uint32Array {
    const segments = new Uint32Array(this.count);
    for (let i = 0, at = 0; i < this.count; i++) {
      segments[i] = at;
      at += (this.ends[i] as number) - (this.starts[i] as number);
    }
    return segments;
  }

  /**
   * Calls `each` for every group, and runs the steps that it may return. A pause may be taken
   * between two groups, too.
   */
  *visit(
    each: (start: number, end: number, depth: number) => Generator<undefined, void> | void,
  ): Generator<undefined, void> {
    for (let i = 0, rows = 0; i < this.count; i++) {
      const [start, end] = [this.starts[i] as number, this.ends[i] as number];
      const steps = each(start, end, this.depths[i] as number);
      if (steps !== undefined) yield* steps;
      rows += end - start;
      if (rows < FIELD_ROWS) continue;
      rows = 0;
      yield;
    }
  }
}

/** Groups of at most this many rows are sorted by comparing whole texts. */
const FEW = 12;

/**
 * The stable order of a table's rows: places in `rows`. O(rows) a stage. Allocates 4 to 16 bytes a
 * row and column, and 12 to 24 bytes a row for words and their order.
 */
export function* orderTable(table: Table): TableSteps<Uint32Array> {
  const { columns, rows, precision, segments, kernels } = table;
  const stages = yield* stagesOf(columns, rows, precision, kernels);
  const [first] = stages;
  if (first !== undefined && stages.length === 1 && first.text === undefined) {
    const words = yield* wordsOf(first, { count: rows.count, places: undefined }, kernels);
    return (yield requestOf(table, words, undefined, segments)) as Uint32Array;
  }
  return (yield* orderByStages(table, stages)).order;
}

/** An order, and the groups of rows that tie. */
interface Ordered {
  readonly order: Uint32Array;
  readonly ties: Ties;
}

/** The stable order of a table's rows, and the groups of rows that tie. */
export function* orderAndTies(table: Table): TableSteps<Ordered> {
  const { columns, rows, precision, kernels } = table;
  return yield* orderByStages(table, yield* stagesOf(columns, rows, precision, kernels));
}

function* orderByStages(table: Table, stages: readonly Stage[]): TableSteps<Ordered> {
  const { segments } = table;
  const { count } = table.rows;
  const [first] = stages;
  const order = yield* identitySteps(count);
  let ties = new Ties();
  const starts = segments ?? [0];
  for (let i = 0; i < starts.length; i++) ties.add(starts[i] as number, starts[i + 1] ?? count);
  for (const stage of stages) {
    if (ties.count === 0) break;
    const sortBy = stage.text === undefined ? sortByNumbers : sortByText;
    ties = yield* sortBy(table, order, ties, stage, stage === first);
  }
  return { order, ties };
}

/** An argsort of keys, or a sort of them with values that move along. */
export function requestOf(
  { signal, onProgress }: Table,
  keys: KeyArray,
  values: Uint32Array | undefined,
  segments?: Uint32Array,
): SortRequest {
  const operation = values === undefined ? 'argsort' : 'sortPairs';
  const shape = plainShape(operation, keyTypeOf(keys) as KeyType, keys.length);
  return {
    shape: { ...shape, segmentCount: segments?.length ?? 1 },
    columns: [keys],
    values,
    segments,
    signal,
    onProgress,
  };
}

/**
 * The places of rows in ties, one group behind the other; the order itself where all tie. Groups
 * whose texts are equal come as they were found, which need not be front to back.
 */
export function* placesOf(order: Uint32Array, ties: Ties): Generator<undefined, Uint32Array> {
  let count = 0;
  let areInOrder = true;
  yield* ties.visit((start, end) => {
    areInOrder &&= start === count;
    count += end - start;
  });
  if (areInOrder && count === order.length) return order;
  const places = new Uint32Array(count);
  let at = 0;
  yield* ties.visit((start, end) => {
    places.set(order.subarray(start, end), at);
    at += end - start;
  });
  return places;
}

/** Sorts ties by `words` of their rows at `places`, and returns those that have equal words. */
function* sortTies(
  table: Table,
  order: Uint32Array,
  ties: Ties,
  places: Uint32Array,
  words: Words,
  units: number,
): TableSteps<Ties> {
  const segments = ties.count === 1 ? undefined : ties.segments();
  yield requestOf(table, words, places, segments);
  const isWide = words instanceof BigUint64Array;
  const parts = isWide ? new Uint32Array(words.buffer, words.byteOffset, 2 * words.length) : words;
  const left = new Ties();
  let [from, pausedAt] = [0, 0];
  for (let i = 0; i < ties.count; i++) {
    const [start, end] = [ties.starts[i] as number, ties.ends[i] as number];
    const last = from + end - start;
    if (places !== order) order.set(places.subarray(from, last), start);
    const depth = (ties.depths[i] as number) + units;
    while (from < last) {
      from = addRuns(left, parts, isWide ? 2 : 1, from, last, end - last, depth);
      if (from - pausedAt < FIELD_ROWS) continue;
      pausedAt = from;
      yield;
    }
  }
  return left;
}

/**
 * Adds runs of equal words, `perWord` parts each, to `left`: those that begin within a slice of
 * words [from, last). They are `shift` places further on in the order. Returns where they end.
 */
function addRuns(
  left: Ties,
  parts: Uint16Array | Uint32Array,
  perWord: number,
  from: number,
  last: number,
  shift: number,
  depth: number,
): number {
  const stop = Math.min(from + FIELD_ROWS, last);
  let start = from;
  while (start < stop) {
    const first = parts[perWord * start];
    const second = parts[perWord * start + perWord - 1];
    let end = start + 1;
    while (
      end < last &&
      parts[perWord * end] === first &&
      parts[perWord * end + perWord - 1] === second
    ) {
      end++;
    }
    left.add(start + shift, end + shift, depth);
    start = end;
  }
  return start;
}

/** Sorts ties by the word of a stage, and returns those that are left. */
function* sortByNumbers(
  table: Table,
  order: Uint32Array,
  ties: Ties,
  stage: Stage,
  isFirst: boolean,
): TableSteps<Ties> {
  const places = yield* placesOf(order, ties);
  // At first rows are where they were.
  const areInPlace = isFirst && places === order;
  const rows = { count: places.length, places: areInPlace ? undefined : places };
  const words = yield* wordsOf(stage, rows, table.kernels);
  return yield* sortTies(table, order, ties, places, words, 0);
}

/** Sorts ties by the word of a stage and the text that continues after it. */
function* sortByText(table: Table, order: Uint32Array, ties: Ties, stage: Stage): TableSteps<Ties> {
  const { indices } = table.rows;
  const text = stage.text as OrderedText;
  const equal = new Ties();
  const settle = new TextGroups(text, order, indices, equal);
  let open = ties;
  for (let current = stage; ; current = { parts: [], bits: 0, text }) {
    // Whose fields differ need not agree in any text.
    if (current.parts.length === 0) open = yield* settle.all(open);
    if (open.count === 0) return equal;
    const places = yield* placesOf(order, open);
    const { words, units } = yield* wordsWithText(
      current,
      places,
      indices === undefined ? places : yield* picked(indices, places),
      yield* depthsOf(open, places.length),
      table.kernels,
    );
    open = yield* sortTies(table, order, open, places, words, units);
  }
}

/** The numbers at places. */
function* picked(
  numbers: Uint32Array,
  places: Uint32Array,
): Generator<undefined, Uint32Array<ArrayBuffer>> {
  const found = new Uint32Array(places.length);
  for (const [from, to] of slicesOf(places.length, FIELD_ROWS)) {
    for (let i = from; i < to; i++) found[i] = numbers[places[i] as number] as number;
    yield;
  }
  return found;
}

/** The depth of each row in ties, group after group. */
function* depthsOf(ties: Ties, count: number): Generator<undefined, Uint32Array | undefined> {
  if (ties.depths.every((depth) => depth === 0)) return undefined;
  const depths = new Uint32Array(count);
  let at = 0;
  yield* ties.visit((start, end, depth) => {
    depths.fill(depth, at, at + end - start);
    at += end - start;
  });
  return depths;
}

/** Groups of rows whose texts agree so far. */
class TextGroups {
  readonly #text: Text;
  readonly #sign: number;
  readonly #order: Uint32Array;
  readonly #indices: Uint32Array | undefined;
  /** Those whose texts are equal are added here. */
  readonly #equal: Ties;

  constructor(
    { text, isDescending }: OrderedText,
    order: Uint32Array,
    indices: Uint32Array | undefined,
    equal: Ties,
  ) {
    this.#text = text;
    this.#sign = isDescending ? -1 : 1;
    this.#order = order;
    this.#indices = indices;
    this.#equal = equal;
  }

  /**
   * Sorts small groups and those whose texts are equal but for their length. Returns the others,
   * each with all units in which its texts agree.
   */
  *all(ties: Ties): Generator<undefined, Ties> {
    const left = new Ties();
    yield* ties.visit((start, end, depth) =>
      end - start <= FEW
        ? this.#sortFew(start, end, depth)
        : this.#sortMany(start, end, depth, left),
    );
    return left;
  }

  *#sortMany(start: number, end: number, depth: number, left: Ties): Generator<undefined, void> {
    const agreed = yield* this.#agreed(start, end, depth);
    if (agreed === undefined) this.#equal.add(start, end);
    else if (agreed < Number.POSITIVE_INFINITY) left.add(start, end, agreed);
    else this.#sortBySize(start, end);
  }

  /** The number of a place's row, as the text counts it. */
  #rowAt(at: number): number {
    const place = this.#order[at] as number;
    return this.#indices === undefined ? place : (this.#indices[place] as number);
  }

  /**
   * The units in which a group's texts agree; infinite if only zeros at their ends differ, and
   * undefined if nothing does.
   */
  *#agreed(start: number, end: number, depth: number): Generator<undefined, number | undefined> {
    const text = this.#text;
    const first = this.#rowAt(start);
    const size = text.size(first);
    let agreed = Number.POSITIVE_INFINITY;
    let areOfOneSize = true;
    for (let i = start + 1; i < end && agreed > depth; i++) {
      if (i % FIELD_ROWS === 0) yield;
      const row = this.#rowAt(i);
      areOfOneSize &&= text.size(row) === size;
      const most = Math.min(agreed, Math.max(size, text.size(row)));
      let at = depth;
      while (at < most && text.unit(first, at) === text.unit(row, at)) at++;
      if (at < most) agreed = at;
    }
    return areOfOneSize && agreed === Number.POSITIVE_INFINITY ? undefined : agreed;
  }

  /** Sorts a group by insertion. */
  #sortFew(start: number, end: number, depth: number): void {
    const order = this.#order;
    if (end - start === 2) {
      const first = order[start] as number;
      const difference = this.#compare(this.#rowAt(start), this.#rowAt(start + 1), depth);
      if (difference > 0) {
        order[start] = order[start + 1] as number;
        order[start + 1] = first;
      }
      if (difference === 0) this.#equal.add(start, end);
      return;
    }
    for (let i = start + 1; i < end; i++) {
      const place = order[i] as number;
      const row = this.#rowAt(i);
      let at = i;
      for (; at > start && this.#compare(this.#rowAt(at - 1), row, depth) > 0; at--) {
        order[at] = order[at - 1] as number;
      }
      order[at] = place;
    }
    this.#addEqual(start, end, (a, b) => this.#compare(a, b, depth) === 0);
  }

  #compare(a: number, b: number, depth: number): number {
    return this.#sign * this.#text.compare(a, b, depth);
  }

  #sortBySize(start: number, end: number): void {
    const rows = this.#indices;
    const sizeOf = (place: number): number =>
      this.#text.size(rows === undefined ? place : (rows[place] as number));
    this.#order.subarray(start, end).sort((a, b) => this.#sign * (sizeOf(a) - sizeOf(b)));
    this.#addEqual(start, end, (a, b) => this.#text.size(a) === this.#text.size(b));
  }

  /** Adds the runs of equal texts in a sorted group. */
  #addEqual(start: number, end: number, areEqual: (a: number, b: number) => boolean): void {
    let from = start;
    for (let i = start + 1; i <= end; i++) {
      if (i < end && areEqual(this.#rowAt(i - 1), this.#rowAt(i))) continue;
      this.#equal.add(from, i);
      from = i;
    }
  }
}
