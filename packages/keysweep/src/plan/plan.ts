/**
 * Which backend serves a request, and why. `planRequest` is a pure function of the request's shape
 * and of what is known of each backend; `Planner` gives it what is known now, and probes backends.
 */

import {
  type BackendName,
  BackendUnavailableError,
  type Probe,
  plainShape,
  type RequestShape,
} from '@keysweep/core';
import type { Machine } from '../machine/machine.js';
import type { BackendState } from '../run/backend-state.js';
import { isBuiltin } from '../run/builtin.js';
import { warmMilliseconds } from './cost.js';
import type { Figures } from './figures.js';
import { BuiltinRule } from './for-builtin.js';
import { LOOKED_AT_FROM, MOST_BYTES, memoryFor } from './memory.js';
import type { Profile } from './profile.js';
import type { Candidate, Conditions, Plan, PlanStep, Refusal } from './types.js';

const OPERATIONS = ['sort', 'sortPairs', 'argsort'] as const;

/** What a planner needs. */
export interface PlannerParts {
  /** Backends to choose from, preferred ones first. */
  readonly states: readonly BackendState[];
  readonly figures: Figures;
  readonly machine: Machine;
  /** Whether a software adapter counts as a GPU. */
  readonly allowSoftware: boolean;
}

/** Plans requests over the backends of one sorter. */
export class Planner {
  readonly #states: readonly BackendState[];
  readonly #figures: Figures;
  readonly #machine: Machine;
  readonly #allowSoftware: boolean;
  /** undefined where the sorter was not given the runtime's own sort. */
  readonly #builtinRule: BuiltinRule | undefined;

  constructor({ states, figures, machine, allowSoftware }: PlannerParts) {
    this.#states = states;
    this.#figures = figures;
    this.#machine = machine;
    this.#allowSoftware = allowSoftware;
    const own = states.find(({ backend }) => isBuiltin(backend));
    const others = states.filter((state) => state !== own);
    this.#builtinRule = own && new BuiltinRule(own, others);
  }

  /** See {@link BuiltinRule.isForBuiltin}. */
  isForBuiltin(shape: RequestShape): boolean {
    return this.#builtinRule?.isForBuiltin(shape) === true;
  }

  /** Plans by the figures of this profile from now on. */
  use(profile: Profile): void {
    this.#figures.use(profile);
    this.#builtinRule?.forget();
  }

  /**
   * Probes a backend, once. Drops figures that are of another GPU than the one found. Never
   * rejects.
   */
  async probe(state: BackendState): Promise<Probe> {
    if (state.probe !== undefined) return state.probe;
    const probe = await state.probed();
    this.#figures.checkAdapter();
    this.#builtinRule?.forget();
    return probe;
  }

  /** Probes a backend again that has lost something. Never rejects. */
  async probeAgain(state: BackendState): Promise<void> {
    await state.probedAgain();
    this.#builtinRule?.forget();
  }

  /** The state of a backend of this sorter. */
  stateOf(name: BackendName): BackendState | undefined {
    return this.#states.find(({ backend }) => backend.name === name);
  }

  /** The plan for a request; a backend that the caller named is its only step. Starts nothing. */
  plan(shape: RequestShape, wanted: BackendName | 'auto'): Plan {
    const { note: profile } = this.#figures;
    if (wanted === 'auto') return planRequest(shape, this.#states, this.#conditions(shape));
    const state = this.stateOf(wanted);
    const names = this.#states.map(({ backend }) => `'${backend.name}'`).join(', ');
    const refusal =
      state === undefined ? `this sorter has the backends ${names} only` : refusalOf(shape, state);
    if (refusal !== undefined || state === undefined) {
      return { steps: [], refused: [{ backend: wanted, reason: refusal as string }], profile };
    }
    const step = { ...stepOf(shape, state), reason: 'the caller named it' };
    return { steps: [step], refused: [], profile };
  }

  /**
   * The steps of a plan whose first backend has been probed, so that limits and reasons are
   * those of what is there. Notes for each cold backend what it would have saved, had it been
   * warm.
   * @throws BackendUnavailableError; RangeError where the length alone is too much.
   */
  async probedSteps(
    shape: RequestShape,
    wanted: BackendName | 'auto',
  ): Promise<readonly PlanStep[]> {
    for (;;) {
      const { steps, refused } = this.plan(shape, wanted);
      const [step] = steps;
      if (step === undefined) throw this.#refusalError(shape, refused[0] as Refusal);
      const first = this.stateOf(step.backend) as BackendState;
      if (first.probe === undefined) {
        const found = await this.probe(first);
        // A probe that failed leaves no answer, and under 'auto' the backend rests: plan again,
        // unless there is no other.
        const hasFailed = !found.available && first.probe === undefined;
        if (hasFailed && (wanted !== 'auto' || steps.length === 1)) {
          throw new BackendUnavailableError(first.backend.name, found.reason);
        }
        continue;
      }
      for (const state of wanted === 'auto' ? this.#states : []) {
        if (state.probe?.available === false) continue;
        state.noteMissed(step.milliseconds - warmMilliseconds(state.estimate, shape));
      }
      return steps;
    }
  }

  /**
   * Probes a backend that has not been probed.
   * @throws as `probedSteps`, when it cannot serve the request.
   */
  async assertServes(state: BackendState, shape: RequestShape): Promise<void> {
    const probe = state.probe ?? (await this.probe(state));
    const { backend } = state;
    const reason = refusalOf(shape, { backend, probe });
    if (reason !== undefined) throw this.#refusalError(shape, { backend: backend.name, reason });
  }

  /**
   * Whether 'auto' prefers a backend, once all are warm, for arrays of 32-bit keys of any length up
   * to this one. The others only stand in for it, and need not be started.
   */
  isPreferred({ backend }: BackendState, longest: number): boolean {
    const warm = this.#states.map(({ backend, probe, estimate, heldBytes }): Candidate => {
      return { backend, probe, estimate, heldBytes, startUp: 0, restsFor: 0, failure: undefined };
    });
    for (let length = longest; length > 0; length = Math.floor(length / 2)) {
      for (const operation of OPERATIONS) {
        const shape = plainShape(operation, 'u32', length);
        const [first] = planRequest(shape, warm, this.#conditions(shape)).steps;
        if (first?.backend === backend.name) return true;
      }
    }
    return false;
  }

  /** Whether 'auto' takes account of a backend with this probe. */
  counts(probe: Probe): boolean {
    return probe.available && (this.#allowSoftware || !probe.capabilities.software);
  }

  #conditions({ length }: RequestShape): Conditions {
    const isLooked = length * MOST_BYTES >= LOOKED_AT_FROM;
    return {
      profile: this.#figures.note,
      allowSoftware: this.#allowSoftware,
      freeBytes: isLooked ? this.#machine.freeBytes() : Number.POSITIVE_INFINITY,
    };
  }

  /** What to throw for a refused backend: a RangeError where only the length is too much. */
  #refusalError(shape: RequestShape, { backend, reason }: Refusal): Error {
    const state = this.stateOf(backend);
    const works = state !== undefined && state.probe?.available !== false;
    const limit = works ? state.backend.maxLength(shape) : 0;
    return limit > 0 && limit < shape.length
      ? new RangeError(`keys is too long for backend '${backend}': ${reason}`)
      : new BackendUnavailableError(backend, reason);
  }
}

/**
 * The plan of a request under 'auto'. Candidates are ordered by expected time; where that is
 * equal they keep their order. Each is once in the plan, in `steps` or in `refused`. A backend
 * that rests or lacks memory is a step only where there would be no other.
 */
export function planRequest(
  shape: RequestShape,
  candidates: readonly Candidate[],
  { profile, allowSoftware, freeBytes }: Conditions,
): Plan {
  const steps: PlanStep[] = [];
  const refused: Refusal[] = [];
  const reserve: { readonly step: PlanStep; readonly why: string }[] = [];
  for (const candidate of candidates) {
    const backend = candidate.backend.name;
    const refusal =
      refusalOf(shape, candidate) ?? (allowSoftware ? undefined : softwareOnly(candidate));
    if (refusal !== undefined) {
      refused.push({ backend, reason: refusal });
      continue;
    }
    const step = stepOf(shape, candidate);
    const why = resting(candidate) ?? shortage(shape, candidate, freeBytes);
    if (why === undefined) steps.push(step);
    else reserve.push({ step, why });
  }
  if (steps.length === 0) steps.push(...reserve.map(({ step }) => step));
  else refused.push(...reserve.map(({ step, why }) => ({ ...step, reason: why })));
  steps.sort((a, b) => a.milliseconds - b.milliseconds);
  return { steps, refused, profile };
}

/** A backend as a step of a plan, with the time that is expected of it. */
export function stepOf(shape: RequestShape, candidate: Candidate): PlanStep {
  const { backend, probe, estimate, startUp } = candidate;
  const milliseconds = warmMilliseconds(estimate, shape) + startUp;
  return {
    backend: backend.name,
    // Made when it is read: most calls have no report.
    get reason() {
      const starting = startUp > 0 ? `, ${inWords(startUp)} of it to start` : '';
      const what = probe?.available ? probe.capabilities.description : 'not probed yet';
      return `${inWords(milliseconds)} expected${starting} (${what})`;
    },
    milliseconds,
  };
}

/** Two digits: the figures are no more exact than that. */
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

/** Why a software adapter is refused: the CPU backend does the same work sooner. */
function softwareOnly({ probe }: Candidate): string | undefined {
  if (!probe?.available || !probe.capabilities.software) return undefined;
  return `${probe.capabilities.description} is a software adapter`;
}

function resting({ restsFor, failure }: Candidate): string | undefined {
  if (restsFor === 0) return undefined;
  return `it rests for another ${inWords(restsFor)} since it failed: ${failure}`;
}

/** Why the memory is not enough. What the backend holds already need not be free. */
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
