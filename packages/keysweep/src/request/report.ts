/** One call on its way through backends: whose fault an error is, what the caller is told meanwhile and in the end. */

import type {
  Fallback,
  Phase,
  SortOutcome,
  SortReport,
  SortRequest,
  TypedArray,
} from '@keysweep/core';
import type { PlanStep } from '../plan/plan.js';

/** Whether the caller's own callback threw: it ends the call, and no other backend is tried. */
export interface Fault {
  thrown: boolean;
}

/** Errors that another backend would not cure: the caller took an array away, or closed the sorter. */
export function isCallers(error: unknown, request: SortRequest): boolean {
  const { columns, values, shape } = request;
  const arrays: readonly TypedArray[] = values === undefined ? columns : [...columns, values];
  return !(error instanceof Error) || arrays.some(({ length }) => length !== shape.length);
}

/**
 * Notes when the caller's own callback throws, so that it is not taken for a backend's failure, and keeps to itself
 * what another backend tells from its beginning: to the caller a phase never goes back.
 */
export function guardProgress(request: SortRequest, fault: Fault): SortRequest {
  const { onProgress } = request;
  if (onProgress === undefined) return request;
  const reached: { [phase in Phase]?: number } = {};
  return {
    ...request,
    onProgress: (progress) => {
      const { phase, completed, total } = progress;
      const share = total === 0 ? 1 : completed / total;
      if (share < (reached[phase] ?? 0)) return;
      reached[phase] = share;
      try {
        onProgress(progress);
      } catch (error) {
        fault.thrown = true;
        throw error;
      }
    },
  };
}

export interface Course {
  readonly step: PlanStep;
  readonly outcome: SortOutcome;
  readonly fallbacks: readonly Fallback[];
  /** Milliseconds spent waiting for another call on the same memory. */
  readonly waited: number;
  /** When the call began, as of performance.now(). */
  readonly start: number;
}

export function makeReport(request: SortRequest, course: Course): SortReport {
  const { operation, keyTypes, length, approximate } = request.shape;
  const { outcome, fallbacks, step, waited, start } = course;
  return {
    operation,
    backend: step.backend,
    reason: step.reason,
    predicted: step.milliseconds,
    keyType: keyTypes[0] as SortReport['keyType'],
    keyTypes,
    length,
    milliseconds: {
      ...outcome.milliseconds,
      queue: waited + (outcome.milliseconds.queue ?? 0),
      total: performance.now() - start,
    },
    passes: outcome.passes,
    threads: outcome.threads,
    fallbacks,
    ...(outcome.gpuMilliseconds ? { gpuMilliseconds: outcome.gpuMilliseconds } : {}),
    ...(approximate ? { approximate: { bound: outcome.bound } } : {}),
  };
}
