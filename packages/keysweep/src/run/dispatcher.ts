/**
 * The dispatcher: plans a request, and lets one backend after the other try until one has served
 * it.
 */

import {
  assertGoesOn,
  type Backend,
  BackendFailedError,
  type BackendName,
  ClosedError,
  describe,
  type Fallback,
  type FieldKernels,
  type GatherRequest,
  type KeyArray,
  type KeyFinder,
  type KeyType,
  nextTask,
  noWebAssembly,
  plainShape,
  readClock,
  type SortOutcome,
  type SortWarning,
  type SpellRequest,
  type WarningCode,
} from '@keysweep/core';
import { thisMachine } from '#machine';
import { isBuiltin } from '../builtin/builtin.js';
import { areKeysAlone } from '../builtin/builtin-keys.js';
import { doesEngineLook, sortIfSoonInOrder } from '../builtin/in-order.js';
import type { Call } from '../call/check.js';
import { isCausedByCaller, makeReport, watchProgress } from '../call/report.js';
import { BuiltinRule } from '../plan/plan.js';
import type { Profile } from '../plan/profile.js';
import { BackendState } from './backend-state.js';
import { Figures } from './figures.js';
import { Planner } from './planner.js';

/** Milliseconds. Backends give up their own workers sooner, as they know better what is wrong. */
const DEFAULT_TIME_OUT = 15_000;

/** The parts and settings of a sorter. */
export interface DispatcherOptions {
  /** Backends to choose from, preferred ones first. */
  readonly backends: readonly Backend[];
  /** The least number of milliseconds without a sign of life after which a backend is given up. */
  readonly timeout?: number | undefined;
  /** Whether software adapters count as GPUs. */
  readonly allowSoftware?: boolean | undefined;
  /** Figures of this machine, or the reason why the caller's figures are not used. */
  readonly profile?: Profile | string | undefined;
  readonly onWarning: (warning: SortWarning) => void;
}

/** Serves the requests of one sorter. Starts nothing before the first. */
export class Dispatcher {
  readonly states: readonly BackendState[];
  readonly figures: Figures;
  readonly planner: Planner;
  /**
   * Decides which requests the runtime's own sort serves without a plan; undefined if that sort is
   * not among the sorter's backends, or if the sorter is closed.
   */
  builtinRule: BuiltinRule | undefined;
  /** Sorts keys that a look finds in order, or in reverse order. Returns whether they were. */
  readonly sortIfInOrder: typeof sortIfSoonInOrder = sortIfSoonInOrder;
  readonly #hasKernels: boolean;
  readonly #onWarning: (warning: SortWarning) => void;
  /** The codes that have been given already. */
  readonly #codes: Set<WarningCode> = new Set();
  #isClosed = false;
  readonly #made: number = readClock();

  constructor(options: DispatcherOptions) {
    const { backends, timeout = DEFAULT_TIME_OUT, allowSoftware = false, profile } = options;
    this.#onWarning = options.onWarning;
    const machine = thisMachine();
    this.#hasKernels = machine.kernels === 'wasm';
    const states = backends.map((backend) => new BackendState(backend, machine, timeout));
    this.states = states;
    this.figures = new Figures(states, machine, profile);
    this.builtinRule = builtinRuleOf(states);
    const { builtinRule, figures } = this;
    this.planner = new Planner({ states, builtinRule, figures, machine, allowSoftware });
  }

  /** @throws ClosedError once the sorter was closed. */
  assertOpen(): void {
    if (this.#isClosed) throw new ClosedError('the sorter');
  }

  /**
   * Whether bare keys are left to the runtime's own sort without a look at their order: see
   * `DispatcherSource`.
   */
  isBrief(keys: KeyArray, keyType: KeyType, length: number): boolean {
    if (!doesEngineLook(keys, keyType)) return false;
    return this.builtinRule?.isForBuiltin(plainShape('sort', keyType, length)) === true;
  }

  /**
   * Serves a call whose memory is locked; `start` is when the call was made, by `readClock()`, and
   * `locked` when it had its memory.
   * Resolves to the permutation of an argsort, otherwise to undefined.
   */
  async run(
    call: Call,
    start: number,
    locked: number = start,
  ): Promise<SortOutcome['permutation']> {
    const waited = locked - start;
    const isEarly = this.#made > start;
    const { request, hasCallbackThrown } = watchProgress(call.request);
    const { shape, signal } = request;
    this.assertOpen();
    if (isEarly) {
      // Nobody could look at its keys before this code was there.
      if (isPlainSort(call)) {
        assertGoesOn(request);
        if (this.sortIfInOrder(request.columns[0], shape.order)) return undefined;
      }
      // In a page, this task has loaded code. The next one is for the plan, which compiles kernels.
      await nextTask();
    }
    const steps = await this.planner.probedSteps(shape, call.backend);
    // A call that came before the dispatcher has waited for its code, which then ran for the first
    // time until there was a plan.
    const loading = isEarly ? readClock() - locked : 0;
    if (call.backend === 'auto') this.#warnOfLosses();
    const fallbacks: Fallback[] = [];
    for (const [i, step] of steps.entries()) {
      const state = this.planner.stateOf(step.backend) as BackendState;
      let isAtFault = false;
      let outcome: SortOutcome;
      try {
        await this.planner.assertServes(state, shape);
        this.assertOpen();
        assertGoesOn(request);
        isAtFault = true;
        outcome = await state.sort(request);
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        if (this.#isClosed || hasCallbackThrown() || isCausedByCaller(error, request)) throw error;
        if (isAtFault) state.noteFailure(error);
        fallbacks.push({ backend: step.backend, error: error as Error });
        if (i === steps.length - 1) throw unserved(fallbacks);
        if (isAtFault) this.#warn(failureOf(step.backend, error));
        continue;
      }
      const took = readClock() - locked - loading - (outcome.milliseconds.queue ?? 0);
      if (fallbacks.length === 0) state.pace.note(shape, step.milliseconds, took);
      await this.#take(outcome.warnings, state);
      call.onReport?.(makeReport(request, { step, outcome, fallbacks, waited, start, loading }));
      return outcome.permutation;
    }
    throw new Error('a plan has at least one step');
  }

  /**
   * Has the threads of a backend move rows. Resolves to false if no backend has threads for it, if
   * they failed, or if an index is beyond a source.
   */
  gather(request: GatherRequest): Promise<boolean> {
    return this.#serveByThreads((backend) => backend.gather?.bind(backend, request));
  }

  /**
   * Has the threads of a backend spell strings. Resolves to false if no backend has threads for it
   * that are free, or if they failed.
   */
  spell(request: SpellRequest): Promise<boolean> {
    return this.#serveByThreads((backend) => backend.spell?.bind(backend, request));
  }

  /** `serveBy` returns what serves, for a backend that may have threads for it. */
  async #serveByThreads(
    serveBy: (backend: Backend) => (() => Promise<boolean>) | undefined,
  ): Promise<boolean> {
    const able = this.#available(
      ({ backend, restsFor }) => serveBy(backend) !== undefined && restsFor <= 0,
    );
    for await (const state of able) {
      try {
        if (await serveBy(state.backend)?.()) return true;
      } catch (error) {
        if (!(error instanceof BackendFailedError)) throw error;
        state.noteFailure(error);
        this.#warn(failureOf(state.backend.name, error));
      }
    }
    return false;
  }

  /** Compiled loops for tables, if a backend has them. */
  async fieldKernels(): Promise<FieldKernels | undefined> {
    const backend = await this.#firstWith('fieldKernels');
    return backend?.fieldKernels?.();
  }

  /** A compiled loop that finds keys, if a backend has one. */
  async keyFinder(): Promise<KeyFinder | undefined> {
    const backend = await this.#firstWith('keyFinder');
    return backend?.keyFinder?.();
  }

  /** The first backend that has a method and works here. */
  async #firstWith(method: keyof Backend): Promise<Backend | undefined> {
    const able = this.#available(({ backend }) => backend[method] !== undefined);
    return (await able.next()).value?.backend;
  }

  /**
   * The backends that `has` accepts and that work here, each probed when its turn comes; none once
   * the sorter is closed.
   */
  async *#available(
    has: (state: BackendState) => boolean,
  ): AsyncGenerator<BackendState, undefined> {
    for (const state of this.states) {
      if (this.#isClosed || !has(state)) continue;
      if ((await state.probed()).available) yield state;
    }
  }

  /** Warns of a backend's losses. A new loss changes what it can do, so it is probed again. */
  async #take(warnings: readonly SortWarning[] | undefined, state: BackendState): Promise<void> {
    const isNew = warnings?.map((warning) => this.#warn(warning)).includes(true);
    if (isNew) await this.planner.probeAgain(state);
  }

  /** Warns if 'auto' skips a backend because its code broke or its kernels cannot run here. */
  #warnOfLosses(): void {
    if (!this.#hasKernels && this.states.some(({ backend }) => backend.name === 'cpu')) {
      this.#warn(noWebAssembly('WebAssembly does not work here'));
    }
    for (const { backend, broken } of this.states) {
      if (broken !== undefined) this.#warn(failureOf(backend.name, broken.error));
    }
  }

  /** Gives each code once; returns whether this one is new. */
  #warn(warning: SortWarning): boolean {
    if (this.#codes.has(warning.code)) return false;
    this.#codes.add(warning.code);
    try {
      this.#onWarning(warning);
    } catch (error) {
      // A broken callback must not fail the sort.
      globalThis.console?.error('keysweep: onWarning has thrown', error);
    }
    return true;
  }

  /** Starts the backends that it would choose for arrays of up to `maxLength` keys. */
  async warmUp(maxLength: number = 2 ** 20): Promise<void> {
    if (!Number.isSafeInteger(maxLength) || maxLength < 0) {
      throw new RangeError(
        `maxLength must be a whole number of keys >= 0, got ${describe(maxLength)}`,
      );
    }
    for (const state of this.states) {
      this.assertOpen();
      if (!this.planner.isPreferred(state, maxLength)) continue;
      await this.planner.probe(state);
      this.assertOpen();
      // It may have found something slower than expected.
      if (this.planner.isPreferred(state, maxLength)) await state.warmUp(maxLength);
    }
  }

  /** Has all backends give back what they hold. If one rejects, so does this, once all are done. */
  async release(): Promise<void> {
    await allDone(this.states.map((state) => state.release()));
  }

  /**
   * Closes all backends. If one rejects, so does this, once all are done. Later calls reject with
   * ClosedError.
   */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.builtinRule = undefined;
    await allDone(this.states.map((state) => state.close()));
  }
}

/** Waits until all of `works` have ended. @throws what the first of them that failed throws */
async function allDone(works: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(works);
  await Promise.all(works);
}

function builtinRuleOf(states: readonly BackendState[]): BuiltinRule | undefined {
  const builtin = states.find(({ backend }) => isBuiltin(backend));
  if (builtin === undefined) return undefined;
  return new BuiltinRule(
    builtin,
    states.filter((state) => state !== builtin),
  );
}

/** The error of a request that every backend failed: the only backend's, or one that names all. */
function unserved(failures: readonly Fallback[]): Error {
  const [{ backend, error }] = failures as [Fallback];
  if (failures.length === 1) return error;
  const errors = failures.map(({ error }) => error);
  const others = failures.slice(1).map(({ backend, error }) => `${backend} (${String(error)})`);
  return new BackendFailedError(
    backend,
    `${String(error)}; then ${others.join(', then ')} could not take over`,
    { cause: new AggregateError(errors, 'every backend failed') },
  );
}

const failureOf = (backend: BackendName, cause: unknown): SortWarning => ({
  code: `${backend}-failed`,
  message:
    `the ${backend} backend failed, and another one sorts in its place for a while ` +
    `(${String(cause)}). The report of a sort lists such failures in fallbacks.`,
  cause,
});

/** Whether a call wants only all of its keys in order. */
const isPlainSort = ({ request, backend, onReport }: Call): boolean =>
  areKeysAlone(request) &&
  request.segments === undefined &&
  request.onProgress === undefined &&
  onReport === undefined &&
  backend === 'auto';
