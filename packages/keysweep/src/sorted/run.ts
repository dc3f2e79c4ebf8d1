/** Runs steps: at once by a plain sort, or with pauses and the sort of a sorter. */

import {
  type Phase,
  type Progress,
  pauses,
  readClock,
  runAtOnce,
  type SortOptions,
  type SortReport,
  type SortRequest,
} from '@keysweep/core';
import { sortPlain } from '@keysweep/cpu/plain';
import { sortInOrder } from '../builtin/builtin-keys.js';
import { sortNow } from '../builtin/builtin-rows.js';
import { checkControls, checkSyncCall } from '../call/check.js';
import { reportWithoutBackend } from '../call/report.js';
import { isFewAtOnce } from '../plan/few.js';
import type { Sorter } from '../sorter.js';
import type { Need, Steps } from './steps.js';

/** Options of a call that returns a promise and does not change the result. */
export type Controls = Pick<SortOptions, 'backend' | 'signal' | 'onProgress' | 'onReport'>;

/** Runs steps to their end, on the calling thread. */
export function runSync<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next(serve(step.value));
  return step.value;
}

function serve(need: Need | number): Uint32Array | undefined {
  if (typeof need === 'number') return undefined;
  if ('sort' in need) {
    const { sort: keys } = need;
    // Plain passes would move 64-bit keys eight times, each time by their indices.
    if (keys.BYTES_PER_ELEMENT === 8) sortInOrder(keys, 'ascending');
    else sortAtOnce(checkSyncCall({ operation: 'sort', keys }, {}));
    return undefined;
  }
  const { argsort: keys, order } = need;
  return sortAtOnce(checkSyncCall({ operation: 'argsort', keys }, { order }));
}

/** Serves a request by plain radix passes, which need no kernels; few keys by the built-in sort. */
function sortAtOnce(request: SortRequest): Uint32Array | undefined {
  const { operation, length } = request.shape;
  if (isFewAtOnce(operation, length)) return sortNow(request);
  return runAtOnce(sortPlain(request)).permutation;
}

/** The share of a call that its sort takes, for its progress. */
const SORT_SHARE = 0.8;

/** The functions of a sorter that needs are served by. */
export type Sorting = Pick<Sorter, 'sort' | 'argsort'>;

/**
 * Runs steps to their end, in slices of 5 ms on the calling thread; `load` gets what sorts. The
 * first step, in which inputs are copied, is run before this returns. `shape` is for the report.
 */
export async function runAsync<T>(
  steps: Steps<T>,
  given: Controls,
  shape: Parameters<typeof reportWithoutBackend>[0],
  load: () => Promise<Sorting>,
): Promise<T> {
  const { backend, onProgress, onReport, signal } = checkControls(given);
  if (signal?.aborted) throw signal.reason;
  const start = readClock();
  const pause = pauses();
  let report: SortReport | undefined;
  let [sorted, reached] = [0, 0];
  const tell = (phase: Phase, fraction: number): void => {
    reached = Math.min(Math.max(reached, fraction), 1);
    const completed = Math.floor(reached * shape.length);
    const progress = { phase, completed, total: shape.length, fraction: reached };
    onProgress?.(progress satisfies Progress);
  };
  const options: Controls = {
    backend,
    ...(given.signal && { signal: given.signal }),
    ...(onProgress && {
      onProgress: ({ phase, completed, total }) => {
        tell(phase, phase === 'sort' && total > 0 ? (SORT_SHARE * completed) / total : 0);
      },
    }),
    onReport: (sortReport) => {
      report = sortReport;
    },
  };
  let step = steps.next();
  while (!step.done) {
    const need = step.value;
    if (typeof need !== 'number') {
      const sorting = await load();
      const order = await ('sort' in need
        ? sorting.sort(need.sort, options)
        : sorting.argsort(need.argsort, { ...options, order: need.order }));
      sorted = SORT_SHARE;
      step = steps.next(order as Uint32Array);
    } else {
      tell('sort', sorted + (1 - sorted) * need);
      await pause();
      if (signal?.aborted) throw signal.reason;
      step = steps.next();
    }
  }
  tell('readback', 1);
  onReport?.(
    addLoops(report ?? reportWithoutBackend(shape, 'nothing had to be sorted', start), start),
  );
  return step.value;
}

/** A report of a sort, with what the calling thread did before and after it. */
function addLoops(report: SortReport, start: number): SortReport {
  const total = readClock() - start;
  const { sort = 0, total: sorting } = report.milliseconds;
  const milliseconds = { ...report.milliseconds, sort: sort + total - sorting, total };
  return { ...report, milliseconds };
}
