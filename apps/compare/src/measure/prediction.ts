/**
 * What the dispatcher expects of each backend. Versions that do not predict say nothing, and the page says so: this is the
 * one place that knows what it is called.
 */

import type { BackendName, PlanRequest, PlanStep, Sorter } from 'keysweep';

type PredictingStep = PlanStep & { readonly milliseconds?: number };
type CalibratingSorter = Sorter & { readonly calibrate?: () => Promise<unknown> };

/** What the dispatcher would do with a request. */
export interface Choice {
  readonly length: number;
  /** The backend that 'auto' would take. */
  readonly backend: BackendName;
  readonly reason: string;
}

/** What 'auto' would take. */
export function choiceOf(sorter: Sorter, request: PlanRequest): Choice | undefined {
  const [first] = sorter.plan(request).steps;
  return first && { length: request.length, backend: first.backend, reason: first.reason };
}

/** Milliseconds that a backend is expected to take, or undefined where nobody says. */
export function predictionOf(
  sorter: Sorter,
  request: PlanRequest,
  backend: BackendName,
): number | undefined {
  const predictionIn = (steps: readonly PredictingStep[]): number | undefined =>
    steps.find((step) => step.backend === backend)?.milliseconds;
  return (
    predictionIn(sorter.plan({ ...request, backend }).steps) ??
    predictionIn(sorter.plan(request).steps)
  );
}

/** Whether this version can measure the machine. */
export const canCalibrate = (sorter: Sorter): boolean =>
  typeof (sorter as CalibratingSorter).calibrate === 'function';

/** Has the dispatcher measure the machine. */
export async function calibrate(sorter: Sorter): Promise<void> {
  await (sorter as CalibratingSorter).calibrate?.();
}
