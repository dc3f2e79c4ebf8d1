/** argsort of columns that are described: checks them, and runs the steps that order their rows. */

import {
  copyChosen,
  FIELD_ROWS,
  type FieldKernels,
  keyTypeOf,
  pauses,
  readClock,
  rowsChosen,
  runAtOnce,
  type SortReport,
  type SortRequest,
} from '@keysweep/core';
import {
  type ArgsortOptions,
  arraysIn,
  checkControls,
  checkOrder,
  checkSegments,
} from '../call/check.js';
import { reportWithoutBackend, wholeTimes } from '../call/report.js';
import type { IndexedResult } from '../call/row-options.js';
import { assertRowsExist, checkIndexed, writeIndexed } from '../indexed/argsort-indexed.js';
import type { Dispatcher } from '../run/dispatcher.js';
import { firstLate, orderInTurn } from './by-columns-in-turn.js';
import { orderBySpelling } from './by-spelling.js';
import { checkDescribedColumns, preparedIn } from './column.js';
import { type OneColumn, orderOneColumn } from './one-column.js';
import { isSort, orderTable, type Table, type TableSteps } from './order-table.js';
import { expectedPacking, notePacking } from './packing.js';
import { expectedPlacing, placeRanks } from './place-ranks.js';
import { plainFields } from './plain-fields.js';
import { type Known, orderStrings, readStrings } from './strings.js';

// Objects are sorted by described columns, so that both are loaded together.
export { argsortObjects, sortObjects } from './sort-rows.js';

/** A checked call. */
interface TableCall {
  readonly table: OneColumn;
  /** Where the order is written, and the caller's `indices`, which are in `table.rows` too. */
  readonly indexed: IndexedResult;
  readonly controls: ReturnType<typeof checkControls>;
}

/**
 * Checks an argsort of described columns; the options have been read.
 * @throws TypeError, RangeError: see `argsort`.
 */
function checkTableCall(given: unknown, options: ArgsortOptions): TableCall {
  for (const name of ['keyBits', 'approximate'] as const) {
    if (options[name] === undefined) continue;
    throw new TypeError(`${name} is for keys that are passed as they are, without a description`);
  }
  const columns = checkDescribedColumns(given, checkOrder(options.order));
  const [{ length, numbers }] = columns as [(typeof columns)[number]];
  const indexed = checkIndexed(options, arraysIn(given), length, columns.length);
  const { precision } = options;
  const one = Array.isArray(given) ? given[0] : given;
  const isPrepared = keyTypeOf(one) === undefined && preparedIn('keys', one) !== undefined;
  if (precision !== undefined && (numbers === undefined || isPrepared)) {
    const what = isPrepared ? 'ranks of a prepared column' : 'text';
    throw new TypeError(`precision is for a column of numbers, but keys are ${what}`);
  }
  if (indexed.indices !== undefined) assertRowsExist(indexed.indices, length);
  const controls = checkControls(options);
  const table = {
    columns,
    out: indexed.out?.subarray(0, length),
    rows: { count: indexed.indices?.length ?? length, indices: indexed.indices },
    precision,
    segments: checkSegments(options.segments, length),
    signal: controls.signal,
    onProgress: controls.onProgress,
  };
  return { table, indexed, controls };
}

/** Tables of at least this many rows use compiled loops. */
const COMPILED_FROM = FIELD_ROWS;

function* orderOf(table: Table): TableSteps<Uint32Array> {
  const late = firstLate(table);
  if (late > 0) return yield* orderInTurn(table, table.columns.slice(0, late), late, orderOf);
  const known: Known = new Map();
  return (
    (yield* orderStrings(table)) ??
    (yield* orderBySpelling(table, known, orderOf)) ??
    (yield* orderTable(yield* readStrings(table, known)))
  );
}

/** Serves a call at once; `serve` sorts. @throws as `argsortSync`. */
export function argsortTableAtOnce(
  given: unknown,
  options: ArgsortOptions,
  serve: (request: SortRequest) => Uint32Array | undefined,
  fieldKernels: () => FieldKernels | undefined,
): Uint32Array {
  const { table, indexed } = checkTableCall(given, options);
  const { count } = table.rows;
  const compiled = () => (count < COMPILED_FROM ? undefined : fieldKernels());
  const steps =
    placeRanks(table) ??
    orderOneColumn(table) ??
    orderOf({ ...table, kernels: compiled() ?? plainFields(count) });
  let step = steps.next();
  while (!step.done) {
    const request = step.value;
    const order = request !== undefined && isSort(request) ? sortAtOnce(request, serve) : undefined;
    step = steps.next(order);
  }
  return writeIndexed(indexed, indexed.indices, step.value);
}

function sortAtOnce(
  request: SortRequest,
  serve: (request: SortRequest) => Uint32Array | undefined,
): Uint32Array | undefined {
  const all = runAtOnce(copyChosen(request));
  const order = serve(all.request);
  return order && runAtOnce(rowsChosen(order, all));
}

/**
 * Serves a call whose memory is locked by `dispatcher`, in slices of 5 ms on the calling thread;
 * `start` is when it was made, `locked` when it had its memory. @throws as `argsort`.
 */
export async function argsortTable(
  given: unknown,
  options: ArgsortOptions,
  dispatcher: Dispatcher,
  { start, locked }: Record<'start' | 'locked', number>,
): Promise<Uint32Array> {
  const begun = readClock();
  const { table, indexed, controls } = checkTableCall(given, options);
  // Some tables have an order that nothing has to sort.
  dispatcher.assertOpen();
  const { signal, backend, onReport, onProgress } = controls;
  onProgress?.({ phase: 'pack', completed: 0, total: table.rows.count });
  const reports: SortReport[] = [];
  // A short sort takes hardly longer than a report does.
  const note = onReport && ((report: SortReport) => void reports.push(report));
  let sorting = 0;
  const onSorted = (milliseconds: number): void => {
    sorting += milliseconds;
  };
  const { count } = table.rows;
  // A backend that is named sorts, or says that it can't.
  const placing = backend === 'auto' ? placeRanks(table) : undefined;
  const steps =
    placing ??
    orderOneColumn(table) ??
    orderOf({ ...table, kernels: await kernelsFor(count, dispatcher) });
  const order = await runTable(steps, dispatcher, { signal, backend, onReport: note, onSorted });
  const result = writeIndexed(indexed, indexed.indices, order);
  const { columns } = table;
  const expected = placing === undefined ? expectedPacking(columns, count) : expectedPlacing(count);
  if (sorting > 0) notePacking(columns, count, readClock() - begun - sorting);
  if (onReport !== undefined) {
    const reason = placing === undefined ? 'all rows are equal' : 'each rank is a place';
    const before = { queue: locked - start, start: begun - locked };
    const report = addUp(reports, count, start, before, reason);
    // What a first call has taken until its code was there is known, too.
    onReport({ ...report, predicted: before.start + (report.predicted ?? 0) + expected });
  }
  return result;
}

/** Loops for tables of `count` rows. */
export async function kernelsFor(count: number, dispatcher: Dispatcher): Promise<FieldKernels> {
  const compiled = count < COMPILED_FROM ? undefined : await dispatcher.fieldKernels();
  return compiled ?? plainFields(count);
}

/**
 * Runs the steps of a table in slices of 5 ms; `dispatcher` serves their requests, and `onSorted`
 * is told the milliseconds that each sort took.
 */
export async function runTable<T>(
  steps: TableSteps<T>,
  dispatcher: Dispatcher,
  {
    signal,
    backend,
    onReport,
    onSorted,
  }: Pick<TableCall['controls'], 'signal' | 'backend' | 'onReport'> & {
    readonly onSorted?: (milliseconds: number) => void;
  },
): Promise<T> {
  const pause = pauses();
  const goOn = (permutation?: Uint32Array) => {
    if (signal?.aborted) throw signal.reason;
    return steps.next(permutation);
  };
  let step = goOn();
  while (!step.done) {
    const request = step.value;
    if (request === undefined) {
      await pause();
      step = goOn();
    } else if (!isSort(request)) {
      await dispatcher.spell(request);
      step = goOn();
    } else {
      const asked = readClock();
      const permutation = await dispatcher.run({ request, backend, onReport }, asked);
      onSorted?.(readClock() - asked);
      step = goOn(permutation);
    }
  }
  return step.value;
}

/**
 * One report of all requests: where most keys were sorted, and what all took together; of none,
 * the reason why.
 */
function addUp(
  reports: readonly SortReport[],
  length: number,
  start: number,
  before: Record<'queue' | 'start', number>,
  reason: string,
): SortReport {
  const total = readClock() - start;
  const most = reports.reduce<SortReport | undefined>(
    (most, report) => (most !== undefined && most.length >= report.length ? most : report),
    undefined,
  );
  if (most === undefined) {
    return reportWithoutBackend({ keyTypes: ['u8'], length }, reason, start);
  }
  const milliseconds: Record<string, number> = { ...before };
  for (const report of reports) {
    const { total: _, ...phases } = report.milliseconds;
    for (const [phase, time] of Object.entries(phases)) {
      milliseconds[phase] = (milliseconds[phase] ?? 0) + time;
    }
  }
  const sum = (of: (report: SortReport) => number): number =>
    reports.reduce((sum, report) => sum + of(report), 0);
  return {
    ...most,
    operation: 'argsort',
    length,
    predicted: sum(({ predicted = 0 }) => predicted),
    milliseconds: wholeTimes(milliseconds, 'pack', total),
    passes: { run: sum(({ passes }) => passes.run), skipped: sum(({ passes }) => passes.skipped) },
    threads: Math.max(...reports.map(({ threads }) => threads)),
    fallbacks: reports.flatMap(({ fallbacks }) => fallbacks),
  };
}
