/**
 * The dispatcher: validates a call, waits its turn for the memory, plans, and walks the plan until
 * a backend has served the request.
 */

import {
  assertGoesOn,
  type Backend,
  type BackendName,
  BackendUnavailableError,
  ClosedError,
  copyOf,
  type Fallback,
  type KeyArray,
  type Probe,
  type RequestShape,
  type SortOptions,
  type SortOutcome,
  type SortReport,
  type SortRequest,
  type TypedArray,
  untilAborted,
  type ValueArray,
} from '@keysweep/core';
import { claim } from './claims.js';
import {
  type Candidate,
  type Plan,
  type PlanRequest,
  type PlanStep,
  planRequest,
  refusalOf,
  shapeOf,
} from './plan.js';
import { type Arguments, type Call, validate } from './validate.js';

/** Sorting functions that share backends, threads and memory. Made by `createSorter`. */
export interface Sorter {
  /**
   * Sorts `keys` in place and resolves to the same array.
   *
   * Order is ECMAScript's: −0 before +0, NaNs last (descending: the reverse). No bit pattern is
   * lost. O(n) digit passes where a radix backend serves it.
   * @throws TypeError, RangeError for bad arguments; BackendUnavailableError for a named backend
   *   that can't; the signal's reason on abort; ClosedError. `keys` is then as it was.
   */
  sort<K extends KeyArray>(keys: K, options?: SortOptions): Promise<K>;
  /** Like `sort`, into a new array on an ordinary ArrayBuffer; `keys` is not touched. */
  toSorted<K extends KeyArray>(keys: K, options?: SortOptions): Promise<K>;
  /** Sorts `keys` and moves `values` along, both in place. Stable in both directions. */
  sortPairs<K extends KeyArray, V extends ValueArray>(
    keys: K,
    values: V,
    options?: SortOptions,
  ): Promise<{ keys: K; values: V }>;
  /**
   * The stable permutation that sorts `keys`: element i is the index of the key that belongs at i.
   * Several columns of one length are sorted by the first, ties by the next, and so on.
   */
  argsort(keys: KeyArray | readonly KeyArray[], options?: SortOptions): Promise<Uint32Array>;
  /** The backends that a request would be given to, in order, each with its reason. Starts nothing. */
  plan(request: PlanRequest): Plan;
  /** Probes every backend: what it found on this machine, or why it can't work here. */
  capabilities(): Promise<Partial<Record<BackendName, Probe>>>;
  /**
   * Starts threads now, and a GPU where it pays for arrays of up to `maxLength` 32-bit keys (default
   * 2^20), and takes memory for them, so that the first sort is as fast as the later ones.
   */
  warmUp(maxLength?: number): Promise<void>;
  /** Gives pooled memory back; the sorter stays usable. */
  release(): Promise<void>;
  /** Gives threads, devices and memory back. Later calls reject with ClosedError. */
  close(): Promise<void>;
}

const OPERATIONS = ['sort', 'sortPairs', 'argsort'] as const;

/** A backend with what is known of it. */
interface Entry extends Candidate {
  readonly backend: Backend;
  probe: Probe | undefined;
}

/** Whether the caller's own callback threw: it ends the call, and no other backend is tried. */
interface Fault {
  thrown: boolean;
}

/** A sorter over `backends`, preferred ones first. Starts nothing. */
export function makeSorter(backends: readonly Backend[]): Sorter {
  const entries: Entry[] = backends.map((backend) => ({ backend, probe: undefined }));
  let closed = false;

  /** What every sorting method does: validate, wait for the memory, walk the plan, report. */
  async function perform(args: Arguments, options: unknown): Promise<Uint32Array | undefined> {
    const call = validate(args, options);
    if (closed) throw new ClosedError('the sorter');
    const { columns, values, signal, shape } = call.request;
    if (signal?.aborted) throw signal.reason;
    const start = performance.now();
    const arrays: TypedArray[] = values === undefined ? [...columns] : [...columns, values];
    const { ready, release } = claim(arrays, shape.operation !== 'argsort');
    try {
      if (ready !== undefined) {
        call.request.onProgress?.({ phase: 'queue', completed: 0, total: 1 });
        await untilAborted(ready, signal);
      }
      return await dispatch(call, start);
    } finally {
      release();
    }
  }

  async function dispatch(call: Call, start: number): Promise<Uint32Array | undefined> {
    const waited = performance.now() - start;
    const fault: Fault = { thrown: false };
    const request = guardProgress(call.request, fault);
    const { steps } = await probedPlan(call);
    const fallbacks: Fallback[] = [];
    for (;;) {
      const step = steps[fallbacks.length] as PlanStep;
      let outcome: SortOutcome;
      try {
        const entry = entryOf(step.backend) as Entry;
        await assertServes(entry, request);
        if (closed) throw new ClosedError('the sorter');
        assertGoesOn(request);
        outcome = await entry.backend.sort(request);
      } catch (error) {
        const isLast = fallbacks.length === steps.length - 1;
        if (isLast || closed || fault.thrown || endsCall(error, request)) throw error;
        fallbacks.push({ backend: step.backend, error: error as Error });
        continue;
      }
      call.onReport?.(makeReport(request, { step, outcome, fallbacks, waited, start }));
      return outcome.permutation;
    }
  }

  const entryOf = (name: BackendName): Entry | undefined =>
    entries.find(({ backend }) => backend.name === name);

  /** The plan for a request; a backend that the caller named is its only step. */
  function planFor(shape: RequestShape, wanted: BackendName | 'auto'): Plan {
    if (wanted === 'auto') return planRequest(shape, entries);
    const entry = entryOf(wanted);
    const names = entries.map(({ backend }) => `'${backend.name}'`).join(', ');
    const refusal =
      entry === undefined ? `this sorter has the backends ${names} only` : refusalOf(shape, entry);
    if (refusal !== undefined)
      return { steps: [], refused: [{ backend: wanted, reason: refusal }] };
    return { steps: [{ backend: wanted, reason: 'the caller named it' }], refused: [] };
  }

  /**
   * The plan once its first backend has been probed, so that limits and reasons are those of what is
   * there.
   * @throws BackendUnavailableError, or RangeError where it is the length that is too much.
   */
  async function probedPlan({ request, backend }: Call): Promise<Plan> {
    for (;;) {
      const plan = planFor(request.shape, backend);
      const [step] = plan.steps;
      if (step === undefined) throw refusalError(request.shape, plan.refused[0] as PlanStep);
      const first = entryOf(step.backend) as Entry;
      if (first.probe !== undefined) return plan;
      first.probe = await first.backend.probe();
    }
  }

  /** Whether 'auto' prefers a backend for any array of 32-bit keys of up to this length: those that stand in for others can wait. */
  function isPreferred({ backend }: Entry, longest: number): boolean {
    for (let length = longest; length > 0; length = Math.floor(length / 2)) {
      const plans = OPERATIONS.map((operation) =>
        planRequest(shapeOf({ operation, keyType: 'u32', length }), entries),
      );
      if (plans.some(({ steps: [first] }) => first?.backend === backend.name)) return true;
    }
    return false;
  }

  /** What to throw for a refused backend. */
  function refusalError(shape: RequestShape, { backend, reason }: PlanStep): Error {
    const entry = entryOf(backend);
    const works = entry !== undefined && entry.probe?.available !== false;
    const tooLong = works && entry.backend.maxLength(shape) > 0;
    return tooLong
      ? new RangeError(`keys is too long for backend '${backend}': ${reason}`)
      : new BackendUnavailableError(backend, reason);
  }

  /** Probes a backend that has not been, and throws when it can't serve the request. */
  async function assertServes(entry: Entry, { shape }: SortRequest): Promise<void> {
    entry.probe ??= await entry.backend.probe();
    const reason = refusalOf(shape, entry);
    if (reason !== undefined) throw refusalError(shape, { backend: entry.backend.name, reason });
  }

  return {
    async sort(keys, options) {
      await perform({ operation: 'sort', keys }, options);
      return keys;
    },
    async toSorted(keys, options) {
      validate({ operation: 'sort', keys }, options);
      const copy = copyOf(keys);
      await perform({ operation: 'sort', keys: copy }, options);
      return copy;
    },
    async sortPairs(keys, values, options) {
      await perform({ operation: 'sortPairs', keys, values }, options);
      return { keys, values };
    },
    async argsort(keys, options) {
      return (await perform({ operation: 'argsort', keys }, options)) as Uint32Array;
    },
    plan(request) {
      return planFor(shapeOf(request), request.backend ?? 'auto');
    },
    async capabilities() {
      const found: Partial<Record<BackendName, Probe>> = {};
      for (const entry of entries) {
        entry.probe ??= await entry.backend.probe();
        found[entry.backend.name] = entry.probe;
      }
      return found;
    },
    async warmUp(maxLength = 2 ** 20) {
      if (!Number.isSafeInteger(maxLength) || maxLength < 0) {
        throw new RangeError(`maxLength must be a whole number of keys >= 0, got ${maxLength}`);
      }
      for (const entry of entries) {
        if (closed) throw new ClosedError('the sorter');
        if (!isPreferred(entry, maxLength)) continue;
        entry.probe ??= await entry.backend.probe();
        if (closed) throw new ClosedError('the sorter');
        if (isPreferred(entry, maxLength)) await entry.backend.warmUp(maxLength);
      }
    },
    async release() {
      await Promise.all(entries.map(({ backend }) => backend.release()));
    },
    async close() {
      closed = true;
      await Promise.all(entries.map(({ backend }) => backend.close()));
    },
  };
}

/** Errors that another backend would not cure: the caller aborted, or took an array away. */
function endsCall(error: unknown, request: SortRequest): boolean {
  if (request.signal?.aborted) return true;
  const { columns, values, shape } = request;
  const arrays: readonly TypedArray[] = values === undefined ? columns : [...columns, values];
  return !(error instanceof Error) || arrays.some(({ length }) => length !== shape.length);
}

/** Notes when the caller's own callback throws, so that it is not taken for a backend's failure. */
function guardProgress(request: SortRequest, fault: Fault): SortRequest {
  const { onProgress } = request;
  if (onProgress === undefined) return request;
  return {
    ...request,
    onProgress: (progress) => {
      try {
        onProgress(progress);
      } catch (error) {
        fault.thrown = true;
        throw error;
      }
    },
  };
}

interface Course {
  readonly step: PlanStep;
  readonly outcome: SortOutcome;
  readonly fallbacks: readonly Fallback[];
  /** Milliseconds spent waiting for another call on the same memory. */
  readonly waited: number;
  /** When the call began, as of performance.now(). */
  readonly start: number;
}

function makeReport(request: SortRequest, course: Course): SortReport {
  const { operation, keyTypes, length, approximate } = request.shape;
  const { outcome, fallbacks, step, waited, start } = course;
  return {
    operation,
    backend: step.backend,
    reason: step.reason,
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
