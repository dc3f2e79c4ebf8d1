/** Makes one call of a soak, and says what is wrong with what came of it. */

import {
  differenceOf,
  faultOfGather,
  faultOfKeys,
  faultOfOrder,
  faultOfSort,
} from '@keysweep/conformance/verify';
import { bitsOf, copyOf, emptyLike, type KeyArray, type TypedArray } from '@keysweep/core';
import { oraclePermutation, segmentBounds } from '@keysweep/core/oracle';
import type { Order, Progress, Sorter, SortOptions, SortReport } from 'keysweep';
import { type Call, SHORT } from './call.js';
import type { Host } from './host.js';

/** How a call ended. */
export type Outcome = 'sorted' | 'aborted' | 'thrown' | 'detached' | 'closed' | 'failed';

/** What has happened to a call's sorter, apart from the call. */
export interface Surroundings {
  readonly sorter: Sorter;
  /** Whether the sorter was closed, or was being closed. */
  readonly isClosed: () => boolean;
  /** Whether a thread was ended or a device destroyed. */
  readonly hasFault: () => boolean;
  readonly watchListeners: Host['watchListeners'];
  /** Has a check repeated when all calls are over: nothing may be written late. */
  readonly checkLater: (check: () => void) => void;
}

/** Milliseconds after which a call is taken to hang. */
const LIMIT = 180_000;

/**
 * Makes `call` and resolves to how it ended.
 * @throws Error that says what is wrong: a result, an array, an error, a listener that is left.
 */
export async function serveCall(call: Call, surroundings: Surroundings): Promise<Outcome> {
  const controller = new AbortController();
  const reason = new Error(`the caller aborted call ${call.number}`);
  const thrown = new Error(`from the callback of call ${call.number}`);
  const listeners = surroundings.watchListeners(controller.signal);
  const timers = new Set<ReturnType<typeof setTimeout>>();
  const { interruption } = call;
  const reports: SortReport[] = [];
  const progress: Progress[] = [];
  const onProgress = (told: Progress): void => {
    progress.push(told);
    if (!('phase' in interruption) || interruption.phase !== told.phase) return;
    if (interruption.kind === 'throw in a phase') throw thrown;
    controller.abort(reason);
  };
  const options: SortOptions = {
    order: call.order,
    backend: call.backend,
    signal: controller.signal,
    ...(call.segments && { segments: call.segments }),
    ...(call.keyBits && { keyBits: call.keyBits }),
    ...((call.wantsProgress || 'phase' in interruption) && { onProgress }),
    ...(call.wantsReport && { onReport: (report: SortReport) => void reports.push(report) }),
  };
  if (interruption.kind === 'abort before') controller.abort(reason);
  const working = begin(call, surroundings.sorter, options);
  if (interruption.kind === 'abort in a microtask') queueMicrotask(() => controller.abort(reason));
  if ('milliseconds' in interruption) {
    const act = (): void =>
      interruption.kind === 'detach' ? detach(call) : controller.abort(reason);
    timers.add(setTimeout(act, interruption.milliseconds));
  }
  const tooLong = new Promise<never>((_, reject) => {
    timers.add(setTimeout(() => reject(new Error(`it hangs for ${LIMIT / 1000} s`)), LIMIT));
  });
  let result: Result | undefined;
  let outcome: Outcome;
  try {
    result = await Promise.race([working, tooLong]);
    outcome = 'sorted';
  } catch (error) {
    outcome = outcomeOf(error);
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
  const left = listeners();
  if (left > 0) throw new Error(`${left} listeners are left on its signal`);
  if (result === undefined) {
    assertUntouched(call);
    surroundings.checkLater(() => assertUntouched(call));
  } else {
    assertResult(call, result);
    assertReported(call, reports, progress);
  }
  for (const placed of [...call.keys, ...(call.values ? [call.values] : [])]) {
    if (!isDetached(placed.array) && !placed.isAlone())
      throw new Error('bytes around an array changed');
  }
  return outcome;

  function outcomeOf(error: unknown): Outcome {
    if (error === reason && controller.signal.aborted) return 'aborted';
    if (error === thrown && interruption.kind === 'throw in a phase') return 'thrown';
    const { name = '' } = error as Error;
    if (name === 'TypeError' && interruption.kind === 'detach' && call.keys.some(isGone))
      return 'detached';
    if (name === 'ClosedError' && surroundings.isClosed()) return 'closed';
    const isFailure = name === 'BackendFailedError' || name === 'BackendUnavailableError';
    if (isFailure && call.backend !== 'auto' && surroundings.hasFault()) return 'failed';
    throw new Error(`it rejects with ${error instanceof Error ? error.stack : String(error)}`, {
      cause: error,
    });
  }
}

interface Result {
  /** What the call resolved to. */
  readonly returned: TypedArray;
  readonly values: TypedArray | undefined;
}

async function begin(call: Call, sorter: Sorter, options: SortOptions): Promise<Result> {
  const [{ array: keys }] = call.keys as [Call['keys'][number]];
  const { values, indices } = call;
  switch (call.kind) {
    case 'sort':
      return { returned: await sorter.sort(keys, options), values: undefined };
    case 'twice': {
      // The second waits for the first, and decides.
      const other: Order = call.order === 'ascending' ? 'descending' : 'ascending';
      const first = sorter.sort(keys, { order: other });
      const second = sorter.sort(keys, options);
      const [, ended] = await Promise.allSettled([first, second]);
      await first;
      if (ended.status === 'rejected') throw ended.reason;
      return { returned: ended.value, values: undefined };
    }
    case 'toSorted':
      return { returned: await sorter.toSorted(keys, options), values: undefined };
    case 'sortPairs': {
      const sorted = await sorter.sortPairs(keys, values?.array as TypedArray, options);
      return { returned: sorted.keys, values: sorted.values };
    }
    case 'argsort': {
      const columns = call.keys.map(({ array }) => array);
      const given = columns.length === 1 ? keys : columns;
      const order = await sorter.argsort(given, { ...options, ...(indices && { indices }) });
      return { returned: order, values: undefined };
    }
  }
}

/** Whether an array has lost its memory, which an empty one does not show by its length. */
function isDetached({ buffer }: TypedArray): boolean {
  try {
    new Uint8Array(buffer);
    return false;
  } catch {
    return true;
  }
}

const isGone = ({ array, before }: { array: TypedArray; before: TypedArray }): boolean =>
  array.length !== before.length || isDetached(array);

/** Takes the keys away, where their memory can be. */
function detach({ keys: [placed] }: Call): void {
  const buffer = placed?.array.buffer;
  if (buffer instanceof ArrayBuffer) structuredClone(buffer, { transfer: [buffer] });
}

function assertSame(what: string, actual: TypedArray, expected: TypedArray): void {
  const difference = differenceOf(actual, expected);
  if (difference !== undefined) throw new Error(`${what}: ${difference}`);
}

/** Throws unless all arrays that are still there are as they were. */
function assertUntouched({ keys, values, kind }: Call): void {
  for (const [i, { array, before }] of keys.entries()) {
    if (isGone({ array, before })) continue;
    // Of two sorts the first may be done.
    if (kind === 'twice') assertNoFault(faultOfKeysAlone(array, before));
    else assertSame(`keys ${i}, after a rejection`, array, before);
  }
  if (values !== undefined) assertSame('values, after a rejection', values.array, values.before);
}

const faultOfKeysAlone = (array: TypedArray, before: TypedArray): string | undefined =>
  differenceOf(sortedBits(array), sortedBits(before));

/** All words of an array in order: the same for the same elements of 32 bits or fewer. */
const sortedBits = (array: TypedArray): Uint8Array =>
  new Uint8Array(copyOf(array).buffer as ArrayBuffer).sort();

function assertNoFault(fault: string | undefined): void {
  if (fault !== undefined) throw new Error(fault);
}

function assertResult(call: Call, { returned, values }: Result): void {
  const { kind, keys, order, segments, keyBits, indices } = call;
  const columns = keys.map(({ before }) => before);
  const [{ array, before }] = keys as [Call['keys'][number]];
  const how = { order, segments, keyBits };
  if (kind === 'argsort') {
    for (const [i, key] of keys.entries()) {
      if (!isGone(key)) assertSame(`keys ${i} of an argsort`, key.array, key.before);
    }
    assertNoFault(faultOfRows(columns, returned as Uint32Array, indices, how));
    return;
  }
  if (kind === 'toSorted' && !isGone({ array, before }))
    assertSame('keys of toSorted', array, before);
  if (kind === 'sortPairs') {
    if (returned !== array || values !== call.values?.array)
      throw new Error('it returns other arrays');
    assertPairs(call, before, how);
    return;
  }
  if (kind !== 'toSorted' && returned !== array) throw new Error('it returns another array');
  if (before.length <= SHORT) {
    assertNoFault(faultOfSort(returned, before, oraclePermutation([before], how), segments));
    return;
  }
  for (const [start, end] of segmentBounds(before.length, segments)) {
    const [sorted, given] = [returned.subarray(start, end), before.subarray(start, end)];
    assertNoFault(faultOfKeys(sorted as KeyArray, given as KeyArray, { order, keyBits }));
  }
}

type How = Pick<Call, 'order' | 'segments' | 'keyBits'>;

function faultOfRows(
  columns: readonly TypedArray[],
  rows: Uint32Array,
  indices: Uint32Array | undefined,
  how: How,
): string | undefined {
  if (indices === undefined) {
    if (rows.length > SHORT) return faultOfOrder(columns, rows, how);
    return differenceOf(rows, oraclePermutation(columns, how));
  }
  const picked = columns.map((column) => {
    const own = emptyLike(column, indices.length);
    for (const [i, row] of indices.entries()) {
      bitsOf(own.subarray(i, i + 1)).set(bitsOf(column.subarray(row, row + 1)));
    }
    return own;
  });
  const order = oraclePermutation(picked, how).map((place) => indices[place] as number);
  return differenceOf(rows, order);
}

function assertPairs({ keys, values }: Call, before: TypedArray, how: How): void {
  const [{ array }] = keys as [Call['keys'][number]];
  const placed = values as NonNullable<Call['values']>;
  if (before.length <= SHORT) {
    const rows = oraclePermutation([before], how);
    assertNoFault(faultOfGather(array, before, rows));
    assertNoFault(faultOfGather(placed.array, placed.before, rows));
    return;
  }
  // Long ones have the numbers of rows for values.
  const rows = placed.array as Uint32Array;
  assertNoFault(faultOfOrder([before], rows, how));
  assertNoFault(faultOfGather(array, before, rows));
}

function assertReported(
  call: Call,
  reports: readonly SortReport[],
  progress: readonly Progress[],
): void {
  if (reports.length !== Number(call.wantsReport))
    throw new Error(`${reports.length} reports came`);
  const [report] = reports;
  if (report !== undefined && call.backend !== 'auto' && report.backend !== call.backend) {
    throw new Error(`${report.backend} served it`);
  }
  for (const { completed, total } of progress) {
    if (!(completed >= 0 && completed <= total))
      throw new Error(`progress ${completed} of ${total}`);
  }
}
