/**
 * Decides which backend serves a request, and why: a pure function of the request's shape and of
 * what is known about each backend. `run/planner.ts` calls it with the present state.
 */

import type { RequestShape } from '@keysweep/core';
import { coldMilliseconds, warmMilliseconds } from './cost.js';
import { memoryFor } from './memory.js';
import type { Candidate, Conditions, Plan, PlanStep, Refusal } from './types.js';

/**
 * The plan of a request under 'auto'. Candidates are ordered by expected time, and keep their order
 * if that is equal. Each is in the plan exactly once, in `steps` or in `refused`. A backend that
 * rests or lacks memory becomes a step only if there would be no other.
 */
export function planRequest(
  shape: RequestShape,
  candidates: readonly Candidate[],
  { profile, allowSoftware, freeBytes }: Conditions,
): Plan {
  const steps: Counted[] = [];
  const refused: Refusal[] = [];
  const reserve: { readonly counted: Counted; readonly why: string }[] = [];
  for (const candidate of candidates) {
    const backend = candidate.backend.name;
    const refusal =
      refusalOf(shape, candidate) ?? (allowSoftware ? undefined : softwareOnly(candidate));
    if (refusal !== undefined) {
      refused.push({ backend, reason: refusal });
      continue;
    }
    const step = stepOf(shape, candidate);
    // What is left of a start counts, and not what it takes.
    const counted = { step, cost: costOf(shape, candidate) };
    const why = resting(candidate) ?? shortage(shape, candidate, freeBytes);
    if (why === undefined) steps.push(counted);
    else reserve.push({ counted, why });
  }
  if (steps.length === 0) steps.push(...reserve.map(({ counted }) => counted));
  else refused.push(...reserve.map(({ counted, why }) => ({ ...counted.step, reason: why })));
  steps.sort((a, b) => a.cost - b.cost);
  return { steps: steps.map(({ step }) => step), refused, profile };
}

/** A step, and the milliseconds by which it is compared with others. */
interface Counted {
  readonly step: PlanStep;
  readonly cost: number;
}

/** Milliseconds that count against a backend for this request. */
function costOf(shape: RequestShape, { estimate, startUp }: Candidate): number {
  const sort = startUp > 0 ? coldMilliseconds : warmMilliseconds;
  return sort(estimate, shape) + startUp;
}

/** Milliseconds that the figures expect of a backend for the whole call, its start included. */
export function expectedMilliseconds(
  shape: RequestShape,
  { estimate, isWarm }: Pick<Candidate, 'estimate' | 'isWarm'>,
): number {
  if (isWarm) return warmMilliseconds(estimate, shape);
  return coldMilliseconds(estimate, shape) + estimate.start;
}

/** A backend as a step of a plan, with the time that is expected of it. */
export function stepOf(shape: RequestShape, candidate: Candidate): PlanStep {
  const { backend, probe, estimate } = candidate;
  const pace = candidate.pace?.of(shape) ?? 1;
  const milliseconds = pace * expectedMilliseconds(shape, candidate);
  const starting = milliseconds - pace * warmMilliseconds(estimate, shape);
  return {
    backend: backend.name,
    // Built when it is read, because most calls have no report.
    get reason() {
      const toStart = starting > 0 ? `, ${inWords(starting)} of it to start` : '';
      const what = probe?.available ? probe.capabilities.description : 'not probed yet';
      return `${inWords(milliseconds)} expected${toStart} (${what})`;
    },
    milliseconds,
  };
}

/** Two digits, because the figures are no more exact than that. */
const inWords = (milliseconds: number): string => `${+milliseconds.toPrecision(2)} ms`;

/** Why a backend can't serve the request at all, or undefined. */
export function refusalOf(
  shape: RequestShape,
  { backend, probe }: Pick<Candidate, 'backend' | 'probe'>,
): string | undefined {
  if (probe?.available === false) return probe.reason;
  const limit = backend.maxLength(shape);
  if (shape.length <= limit) return undefined;
  return limit === 0
    ? `it has no ${shape.operation} of ${shape.keyTypes.join(', ')} keys`
    : `${shape.length} keys are over its limit of ${limit} for this request`;
}

/** Why a software adapter is refused: the CPU backend does the same work in less time. */
function softwareOnly({ probe }: Candidate): string | undefined {
  if (!probe?.available || !probe.capabilities.software) return undefined;
  return `${probe.capabilities.description} is a software adapter`;
}

function resting({ restsFor, failure }: Candidate): string | undefined {
  if (restsFor === 0) return undefined;
  return `it rests for another ${inWords(restsFor)} since it failed: ${failure}`;
}

/** Why the memory is not enough. Memory that the backend holds already need not be free. */
function shortage(
  shape: RequestShape,
  { backend, probe, heldBytes }: Candidate,
  freeBytes: number,
): string | undefined {
  if (freeBytes === Number.POSITIVE_INFINITY) return undefined;
  const { kept, passing } = memoryFor(backend.name, shape, probe);
  const bytes = Math.max(0, kept - heldBytes) + passing;
  if (bytes <= freeBytes) return undefined;
  const mebibytes = (count: number): number => Math.ceil(count / 2 ** 20);
  return `it would take another ${mebibytes(bytes)} MiB, and ${mebibytes(freeBytes)} MiB are free`;
}
