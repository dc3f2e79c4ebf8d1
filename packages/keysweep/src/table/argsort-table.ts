/** argsort of columns that are described: checks them, and runs the steps that order their rows. */

import {
  FIELD_ROWS,
  type FieldKernels,
  pauses,
  readClock,
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
import { reportWithoutBackend } from '../call/report.js';
import type { Rows } from '../call/row-options.js';
import { assertRows, checkRows, resultOfRows } from '../rows/rows.js';
import type { Dispatcher } from '../run/dispatcher.js';
import { checkColumns } from './column.js';
import { orderTable, type Table } from './order-table.js';
import { plainFields } from './plain-fields.js';

// Objects are sorted by described columns, so that both are loaded together.
export { argsortObjects, sortObjects } from './sort-rows.js';

/** A checked call. */
interface TableCall {
  readonly table: Omit<Table, 'kernels'>;
  readonly rows: Rows;
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
  const columns = checkColumns(given, checkOrder(options.order));
  const [{ length, text }] = columns as [(typeof columns)[number]];
  const rows = checkRows(options, arraysIn(given), length, columns.length);
  const { precision } = options;
  if (precision !== undefined && text !== undefined) {
    throw new TypeError('precision is for a column of numbers, but keys are text');
  }
  if (rows.indices !== undefined) assertRows(rows.indices, length);
  const controls = checkControls(options);
  const table = {
    columns,
    rows: { count: rows.indices?.length ?? length, indices: rows.indices },
    precision,
    segments: checkSegments(options.segments, length),
    signal: controls.signal,
    onProgress: controls.onProgress,
  };
  return { table, rows, controls };
}

/** Tables of at least this many rows use compiled loops. */
const COMPILED_FROM = FIELD_ROWS;

/** Serves a call at once; `serve` sorts. @throws as `argsortSync`. */
export function argsortTableAtOnce(
  given: unknown,
  options: ArgsortOptions,
  serve: (request: SortRequest) => Uint32Array | undefined,
  fieldKernels: () => FieldKernels | undefined,
): Uint32Array {
  const { table, rows } = checkTableCall(given, options);
  const { count } = table.rows;
  const compiled = count < COMPILED_FROM ? undefined : fieldKernels();
  const steps = orderTable({ ...table, kernels: compiled ?? plainFields(count) });
  let step = steps.next();
  while (!step.done) {
    step = steps.next(step.value === undefined ? undefined : serve(step.value));
  }
  return resultOfRows(rows, rows.indices, step.value);
}

/**
 * Serves a call whose memory is locked by `dispatcher`, in slices of 5 ms on the calling thread;
 * `start` is when it was made. @throws as `argsort`.
 */
export async function argsortTable(
  given: unknown,
  options: ArgsortOptions,
  dispatcher: Dispatcher,
  start: number,
): Promise<Uint32Array> {
  const { table, rows, controls } = checkTableCall(given, options);
  const { signal, backend, onReport } = controls;
  const reports: SortReport[] = [];
  const note = (report: SortReport): void => {
    reports.push(report);
  };
  const { count } = table.rows;
  const compiled = count < COMPILED_FROM ? undefined : await dispatcher.fieldKernels();
  const steps = orderTable({ ...table, kernels: compiled ?? plainFields(count) });
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
    } else {
      const call = { request, backend, onReport: note };
      step = goOn(await dispatcher.run(call, readClock()));
    }
  }
  const result = resultOfRows(rows, rows.indices, step.value);
  onReport?.(addUp(reports, count, start));
  return result;
}

/** One report of all requests: where most keys were sorted, and what all took together. */
function addUp(reports: readonly SortReport[], length: number, start: number): SortReport {
  const total = readClock() - start;
  const most = reports.reduce<SortReport | undefined>(
    (most, report) => (most !== undefined && most.length >= report.length ? most : report),
    undefined,
  );
  if (most === undefined) {
    return reportWithoutBackend({ keyTypes: ['u8'], length }, 'all rows are equal', start);
  }
  const milliseconds: Record<string, number> = {};
  for (const report of reports) {
    for (const [phase, time] of Object.entries(report.milliseconds)) {
      milliseconds[phase] = (milliseconds[phase] ?? 0) + time;
    }
  }
  const sum = (of: (report: SortReport) => number): number =>
    reports.reduce((sum, report) => sum + of(report), 0);
  return {
    ...most,
    operation: 'argsort',
    length,
    milliseconds: { ...milliseconds, total },
    passes: { run: sum(({ passes }) => passes.run), skipped: sum(({ passes }) => passes.skipped) },
    threads: Math.max(...reports.map(({ threads }) => threads)),
    fallbacks: reports.flatMap(({ fallbacks }) => fallbacks),
  };
}
