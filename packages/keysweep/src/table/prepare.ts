/** Prepares a column: sorts it once, so that later sorts by it are of small integers. */

import { FIELD_ROWS, keyTypeOf, readOptions, slicesOf } from '@keysweep/core';
import { checkControls } from '../call/check.js';
import type { Dispatcher } from '../run/dispatcher.js';
import { kernelsFor, runTable } from './argsort-table.js';
import { type CheckedColumn, checkDescribedColumns, isValid, preparedIn } from './column.js';
import { fieldsOf } from './fields.js';
import { orderTable, type Table, type TableSteps } from './order-table.js';
import type { PreparedColumn, PrepareOptions } from './prepared.js';
import { readStrings } from './strings.js';

/** Prepares a column whose memory is locked. @throws as `argsort`. */
export async function prepareColumn(
  given: unknown,
  options: unknown,
  dispatcher: Dispatcher,
): Promise<PreparedColumn> {
  const controls = checkControls(readOptions<PrepareOptions>(options, ['signal']));
  const { signal } = controls;
  if (signal?.aborted) throw signal.reason;
  dispatcher.assertOpen();
  if (Array.isArray(given)) {
    throw new TypeError(
      'prepare takes one column, got a list; a list of strings is the column { keys: list }, and ' +
        'several columns are prepared one by one',
    );
  }
  const prepared = keyTypeOf(given) === undefined ? preparedIn('column', given) : undefined;
  if (prepared !== undefined) return Object.freeze({ ...prepared });
  const [column] = checkDescribedColumns(given, 'ascending') as readonly [CheckedColumn];
  const { length, nulls, asked } = column;
  const table: Table = {
    columns: [{ ...column, order: 'ascending', nulls: 'last', nans: undefined }],
    rows: { count: length, indices: undefined },
    precision: undefined,
    segments: undefined,
    kernels: await kernelsFor(length, dispatcher),
    signal,
    onProgress: undefined,
  };
  const found = await runTable(rankRows(table), dispatcher, controls);
  const { byteLength } = found.ranks;
  return Object.freeze({ length, byteLength, ...found, ...asked, nulls });
}

/** What a column's rows say of it. */
type Found = Pick<PreparedColumn, 'ranks' | 'values' | 'hasNans' | 'hasNulls'>;

/** The ranks of a table of one column, in ascending order with nulls at the end. */
function* rankRows(given: Table): TableSteps<Found> {
  const table = yield* readStrings(given);
  const [column] = table.columns as readonly [CheckedColumn];
  const order = yield* orderTable(table);
  const isNew = yield* findSteps(column, table, order);
  let count = 0;
  for (const [from, to] of slicesOf(order.length, FIELD_ROWS)) {
    for (let i = from; i < to; i++) count += isNew[i] as number;
    yield;
  }
  const ranks = new (count <= 2 ** 16 ? Uint16Array : Uint32Array)(order.length);
  let rank = -1;
  for (const [from, to] of slicesOf(order.length, FIELD_ROWS)) {
    for (let i = from; i < to; i++) {
      rank += isNew[i] as number;
      ranks[order[i] as number] = rank;
    }
    yield;
  }
  let last = order.length - 1;
  while (last >= 0 && !isValid(column, order[last] as number)) last--;
  const hasNulls = last < order.length - 1;
  const hasNans = last >= 0 && isNan(column, order[last] as number);
  const values = count - Number(hasNulls) - Number(hasNans);
  return { ranks, values, hasNans, hasNulls };
}

/** 1 at each place of an order whose row does not tie with the one before, else 0. */
function* findSteps(
  column: CheckedColumn,
  { rows, kernels }: Table,
  order: Uint32Array,
): Generator<undefined, Uint8Array> {
  const isNew = new Uint8Array(order.length);
  isNew[0] = 1;
  const { text } = column;
  // A field without bits says nothing: all rows are nulls, or all keys are equal.
  const fields = (yield* fieldsOf(column, rows, undefined, kernels)).filter(({ bits }) => bits > 0);
  const lasts = fields.map(() => ({ low: 0, high: 0 }));
  for (const [from, to] of slicesOf(order.length, FIELD_ROWS)) {
    for (const [f, field] of fields.entries()) {
      const { lows, highs } = field.read(from, to, order);
      const before = lasts[f] as { low: number; high: number };
      for (let i = 0; i < to - from; i++) {
        const low = lows[i] as number;
        const high = field.isWide ? (highs[i] as number) : 0;
        if (low !== before.low || high !== before.high) isNew[from + i] = 1;
        before.low = low;
        before.high = high;
      }
    }
    for (let i = Math.max(from, 1); text !== undefined && i < to; i++) {
      if (text.compare(order[i - 1] as number, order[i] as number, 0) !== 0) isNew[i] = 1;
    }
    yield;
  }
  return isNew;
}

/** Whether a row that has a value has NaN. */
function isNan({ numbers }: CheckedColumn, row: number): boolean {
  if (numbers?.keyType !== 'f16' || !(numbers.keys instanceof Uint16Array)) {
    return Number.isNaN(numbers?.keys[row]);
  }
  return ((numbers.keys[row] as number) & 0x7fff) > 0x7c00;
}
