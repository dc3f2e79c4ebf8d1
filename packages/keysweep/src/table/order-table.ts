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
import type { CheckedColumn, RowSelection } from './column.js';
import {
  type OrderedText,
  type Stage,
  stagesOf,
  type Words,
  wordsOf,
  wordsWithText,
} from './stages.js';
import { TextGroups } from './text-groups.js';
import { TiedGroups } from './tied-groups.js';

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
  readonly rows: RowSelection;
  readonly precision: 16 | 24 | undefined;
  /** Starts of segments of the rows. */
  readonly segments: Uint32Array | undefined;
  readonly kernels: FieldKernels;
  readonly signal: SortRequest['signal'];
  readonly onProgress: SortRequest['onProgress'];
}

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
  readonly ties: TiedGroups;
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
  let ties = new TiedGroups();
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
export function* placesOf(order: Uint32Array, ties: TiedGroups): Generator<undefined, Uint32Array> {
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
  ties: TiedGroups,
  places: Uint32Array,
  words: Words,
  units: number,
): TableSteps<TiedGroups> {
  const segments = ties.count === 1 ? undefined : ties.segments();
  yield requestOf(table, words, places, segments);
  const isWide = words instanceof BigUint64Array;
  const parts = isWide ? new Uint32Array(words.buffer, words.byteOffset, 2 * words.length) : words;
  const left = new TiedGroups();
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
  left: TiedGroups,
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
  ties: TiedGroups,
  stage: Stage,
  isFirst: boolean,
): TableSteps<TiedGroups> {
  const places = yield* placesOf(order, ties);
  // Before the first sort all rows are where they were.
  const areInPlace = isFirst && places === order;
  const rows = { count: places.length, places: areInPlace ? undefined : places };
  const words = yield* wordsOf(stage, rows, table.kernels);
  return yield* sortTies(table, order, ties, places, words, 0);
}

/** Sorts ties by the word of a stage and the text that continues after it. */
function* sortByText(
  table: Table,
  order: Uint32Array,
  ties: TiedGroups,
  stage: Stage,
): TableSteps<TiedGroups> {
  const { indices } = table.rows;
  const text = stage.text as OrderedText;
  const equal = new TiedGroups();
  const settle = new TextGroups(text, order, indices, equal);
  let open = ties;
  for (let current = stage; ; current = { parts: [], bits: 0, text }) {
    // Rows whose fields differ need not agree in any text.
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
function* depthsOf(ties: TiedGroups, count: number): Generator<undefined, Uint32Array | undefined> {
  if (ties.depths.every((depth) => depth === 0)) return undefined;
  const depths = new Uint32Array(count);
  let at = 0;
  yield* ties.visit((start, end, depth) => {
    depths.fill(depth, at, at + end - start);
    at += end - start;
  });
  return depths;
}
