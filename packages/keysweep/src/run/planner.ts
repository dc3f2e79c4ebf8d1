/** Plans requests by what is known about a sorter's backends now, and probes them. */

import {
  type BackendName,
  BackendUnavailableError,
  type Probe,
  plainShape,
  type RequestShape,
} from '@keysweep/core';
import type { Machine } from '../machine/machine.js';
import { warmMilliseconds } from '../plan/cost.js';
import { LOOKED_AT_FROM, MAX_BYTES } from '../plan/memory.js';
import {
  type BuiltinRule,
  expectedMilliseconds,
  planRequest,
  refusalOf,
  stepOf,
} from '../plan/plan.js';
import type { Profile } from '../plan/profile.js';
import type { Candidate, Conditions, Plan, PlanStep, Refusal } from '../plan/types.js';
import type { BackendState } from './backend-state.js';
import type { Figures } from './figures.js';

const OPERATIONS = ['sort', 'sortPairs', 'argsort'] as const;

/** The parts of a planner. */
export interface PlannerParts {
  /** Backends to choose from, preferred ones first. */
  readonly states: readonly BackendState[];
  /** Its answers depend on figures and probes, so they are dropped when these change. */
  readonly builtinRule: BuiltinRule | undefined;
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
  readonly #builtinRule: BuiltinRule | undefined;

  constructor({ states, builtinRule, figures, machine, allowSoftware }: PlannerParts) {
    this.#states = states;
    this.#builtinRule = builtinRule;
    this.#figures = figures;
    this.#machine = machine;
    this.#allowSoftware = allowSoftware;
  }

  /** Plans by the figures of this profile after this call. */
  use(profile: Profile): void {
    this.#figures.use(profile);
    this.#builtinRule?.forget();
  }

  /**
   * Probes a backend, once. Drops figures that come from another GPU than the one found. Never
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
   * The steps of a plan whose first backend has been probed, so that limits and reasons are about
   * what is really there. Notes for each cold backend how much it would have saved, had it been
   * warm.
   * @throws BackendUnavailableError; RangeError if only the length is too much.
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
      const expected = expectedMilliseconds(shape, first);
      for (const state of wanted === 'auto' ? this.#states : []) {
        if (state.probe?.available === false) continue;
        state.noteMissed(expected - warmMilliseconds(state.estimate, shape));
      }
      return steps;
    }
  }

  /**
   * Probes a backend if that has not been done, and checks that it can serve the request.
   * @throws as `probedSteps` if it cannot.
   */
  async assertServes(state: BackendState, shape: RequestShape): Promise<void> {
    const probe = state.probe ?? (await this.probe(state));
    const { backend } = state;
    const reason = refusalOf(shape, { backend, probe });
    if (reason !== undefined) throw this.#refusalError(shape, { backend: backend.name, reason });
  }

  /**
   * Whether 'auto' would prefer a backend, once all are warm, for 32-bit keys at some length up to
   * this one. Backends that it never prefers only stand in for others, and need not be started.
   */
  isPreferred({ backend }: BackendState, longest: number): boolean {
    const warm = this.#states.map(({ backend, probe, estimate, heldBytes }): Candidate => {
      return {
        backend,
        probe,
        estimate,
        heldBytes,
        isWarm: true,
        startUp: 0,
        restsFor: 0,
        failure: undefined,
      };
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

  /** Whether 'auto' considers a backend with this probe. */
  counts(probe: Probe): boolean {
    return probe.available && (this.#allowSoftware || !probe.capabilities.software);
  }

  #conditions({ length }: RequestShape): Conditions {
    const isLooked = length * MAX_BYTES >= LOOKED_AT_FROM;
    return {
      profile: this.#figures.note,
      allowSoftware: this.#allowSoftware,
      freeBytes: isLooked ? this.#machine.freeBytes() : Number.POSITIVE_INFINITY,
    };
  }

  /** The error for a refused backend: a RangeError if only the length is too much. */
  #refusalError(shape: RequestShape, { backend, reason }: Refusal): Error {
    const state = this.stateOf(backend);
    const works = state !== undefined && state.probe?.available !== false;
    const limit = works ? state.backend.maxLength(shape) : 0;
    return limit > 0 && limit < shape.length
      ? new RangeError(`keys is too long for backend '${backend}': ${reason}`)
      : new BackendUnavailableError(backend, reason);
  }
}
