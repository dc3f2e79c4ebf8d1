/** What a caller hears about a request: progress while it runs, a report at the end. */

import {
  type Fallback,
  type Phase,
  type RequestShape,
  readClock,
  type SortOutcome,
  type SortReport,
  type SortRequest,
} from '@keysweep/core';
import type { PlanStep } from '../plan/types.js';

/**
 * Whether the caller caused an error, so that trying another backend would not help: an array was
 * detached or resized, or the error is not an Error but an abort's reason or some other thrown
 * value.
 */
export function isCausedByCaller(error: unknown, request: SortRequest): boolean {
  const { columns, chosen, values, out, shape } = request;
  const rows = chosen?.rows ?? shape.length;
  return (
    !(error instanceof Error) ||
    columns.some(({ length }) => length !== rows) ||
    (values !== undefined && values.length !== shape.length) ||
    (out !== undefined && out.length !== shape.length)
  );
}

/** A request whose progress is watched, and whether the caller's callback has thrown. */
export interface WatchedRequest {
  readonly request: SortRequest;
  readonly hasCallbackThrown: () => boolean;
}

/**
 * Notes when the caller's own callback throws, because that is not a backend's failure. Also
 * withholds progress that goes back, so that the caller sees no phase twice if a second backend
 * begins again.
 */
export function watchProgress(request: SortRequest): WatchedRequest {
  const { onProgress } = request;
  if (onProgress === undefined) return { request, hasCallbackThrown: () => false };
  let hasThrown = false;
  const reached: { [phase in Phase]?: number } = {};
  const watched: SortRequest = {
    ...request,
    onProgress: (progress) => {
      const { phase, completed, total } = progress;
      const share = total === 0 ? 1 : completed / total;
      if (share < (reached[phase] ?? 0)) return;
      reached[phase] = share;
      try {
        onProgress(progress);
      } catch (error) {
        hasThrown = true;
        throw error;
      }
    },
  };
  return { request: watched, hasCallbackThrown: () => hasThrown };
}

/** A request that was served. */
export interface Served {
  readonly step: PlanStep;
  readonly outcome: SortOutcome;
  readonly fallbacks: readonly Fallback[];
  /** Milliseconds that the call waited for another one on the same memory. */
  readonly waited: number;
  /** Milliseconds after that in which the dispatcher was loaded and made the plan. */
  readonly loading: number;
  /** When the call began, as of readClock(). */
  readonly start: number;
}

/** Times by phase, and in total. What no phase has measured counts as `rest`. */
export function wholeTimes(
  phases: { readonly [phase in Phase]?: number },
  rest: Phase,
  total: number,
): SortReport['milliseconds'] {
  const measured = Object.values(phases).reduce((sum, time) => sum + time, 0);
  return { ...phases, [rest]: (phases[rest] ?? 0) + Math.max(total - measured, 0), total };
}

/** The report of a request that was served. */
export function makeReport(request: SortRequest, served: Served): SortReport {
  const { operation, keyTypes, length, approximate } = request.shape;
  const { outcome, fallbacks, step, waited, loading, start } = served;
  return {
    operation,
    backend: step.backend,
    reason: step.reason,
    predicted: loading + step.milliseconds,
    keyType: keyTypes[0] as SortReport['keyType'],
    keyTypes,
    length,
    milliseconds: wholeTimes(
      { ...outcome.milliseconds, queue: waited + (outcome.milliseconds.queue ?? 0) },
      'start',
      readClock() - start,
    ),
    passes: outcome.passes,
    threads: outcome.threads,
    fallbacks,
    ...(outcome.gpuMilliseconds ? { gpuMilliseconds: outcome.gpuMilliseconds } : {}),
    ...(approximate ? { approximate: { bound: outcome.bound } } : {}),
  };
}

/** The report of an argsort that the calling thread did without a backend, for `reason`. */
export function reportWithoutBackend(
  { keyTypes, length }: Pick<RequestShape, 'keyTypes' | 'length'>,
  reason: string,
  start: number,
): SortReport {
  const total = readClock() - start;
  return {
    operation: 'argsort',
    backend: 'builtin',
    reason,
    keyType: keyTypes[0] as SortReport['keyType'],
    keyTypes,
    length,
    milliseconds: { sort: total, total },
    passes: { run: 0, skipped: 0 },
    threads: 1,
    fallbacks: [],
  };
}
