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
  type Fallback,
  type Probe,
  plainShape,
  type RequestShape,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { thisMachine } from '#machine';
import { LOOKED_AT_FROM, MOST_BYTES } from '../plan/memory.js';
import {
  type Conditions,
  type Plan,
  type PlanStep,
  type ProfileNote,
  planRequest,
  type Refusal,
  refusalOf,
  shapeOf,
  stepOf,
} from '../plan/plan.js';
import { keyOf, type Profile } from '../plan/profile.js';
import { Small } from '../plan/small.js';
import { type Arguments, type Call, validate } from '../request/check.js';
import { withMemoryLock } from '../request/memory-locks.js';
import { type Fault, guardProgress, isCallers, makeReport } from '../request/report.js';
import { type IsOwn, type Sorter, sortingBy } from '../sorter.js';
import { Entry } from './backend-state.js';

const OPERATIONS = ['sort', 'sortPairs', 'argsort'] as const;

/** In milliseconds: longer than backends themselves wait for a worker, who then know better what is wrong. */
const TIMEOUT = 15_000;

/** What a sorter is made of. */
export interface SorterParts {
  /** The backends to choose from, preferred ones first. */
  readonly backends: readonly Backend[];
  /** Milliseconds without a sign of life after which a backend is given up, at least. */
  readonly timeout?: number | undefined;
  /** Whether software adapters count as GPUs. */
  readonly allowSoftware?: boolean | undefined;
  /** Figures of this machine, or the reason why those that were given are not used. */
  readonly profile?: Profile | string | undefined;
}

/** The step of arrays for which nothing else could pay: see small.ts. */
const BUILTIN: PlanStep = {
  backend: 'builtin',
  reason: "the runtime's own sort: for so few keys, or few that look sorted, nothing else pays",
  milliseconds: 0,
};

/** What stands behind a sorter. */
export interface Dispatcher {
  readonly sorter: Sorter;
  /** Whether keys alone, no option given, are for the runtime's own sort as long as nobody else sorts their buffer. */
  readonly isOwn: IsOwn;
  /** Serves a call whose memory was claimed; `start` is when it was made, as of performance.now(). */
  dispatch(call: Call, start: number): Promise<Uint32Array | undefined>;
}

/** A sorter over `backends`. Starts nothing. */
export function makeDispatcher(parts: SorterParts): Dispatcher {
  const { backends, timeout = TIMEOUT, allowSoftware = false } = parts;
  const machine = thisMachine();
  const entries = backends.map((backend) => new Entry(backend, machine, timeout));
  const small = new Small(entries);
  let note: ProfileNote;
  let adapter: string | null = null;
  let closed = false;
  if (typeof parts.profile === 'object') useProfile(parts.profile);
  else useBuiltIn(parts.profile ?? 'this machine has not been measured: calibrate() does so');

  function useProfile(profile: Profile): void {
    for (const entry of entries) entry.use(profile.backends[entry.backend.name]);
    note = {
      name: `measured ${profile.date}`,
      reason: `on this machine: ${profile.key.runtime}, ${profile.key.cores} cores`,
    };
    adapter = profile.key.adapter;
    small.forget();
  }

  function useBuiltIn(reason: string): void {
    for (const entry of entries) entry.use(undefined);
    note = { name: 'built-in', reason };
    adapter = null;
    small.forget();
  }

  /** The GPU that has been found, the first of them; undefined where none has been looked for. */
  function foundAdapter(): string | null | undefined {
    const probes = entries
      .filter(({ backend }) => backend.name.startsWith('webg'))
      .map(({ probe }) => probe);
    const found = probes.find((probe) => probe?.available);
    if (found?.available) return found.capabilities.description;
    return probes.includes(undefined) ? undefined : null;
  }

  /** Probes a backend; figures of another GPU than is found are dropped. */
  async function probe(entry: Entry): Promise<Probe> {
    if (entry.probe !== undefined) return entry.probe;
    const probe = await entry.probed();
    small.forget();
    const found = foundAdapter();
    if (adapter !== null && found && found !== adapter) {
      useBuiltIn(`the profile that was given is of another GPU: ${adapter}, not ${found}`);
    }
    return probe;
  }

  const isOwn: IsOwn = (keys, keyType) => !closed && small.isForRuntime(keys, keyType);

  const conditions = (shape: RequestShape): Conditions => ({
    profile: note,
    allowSoftware,
    freeBytes:
      shape.length * MOST_BYTES < LOOKED_AT_FROM ? Number.POSITIVE_INFINITY : machine.freeBytes(),
  });

  /** What every sorting method does: validate, wait for the memory, walk the plan, report. */
  async function perform(args: Arguments, options: unknown): Promise<Uint32Array | undefined> {
    const call = validate(args, options);
    if (closed) throw new ClosedError('the sorter');
    const start = performance.now();
    return withMemoryLock(call.request, () => dispatch(call, start));
  }

  async function dispatch(call: Call, start: number): Promise<Uint32Array | undefined> {
    const waited = performance.now() - start;
    const fault: Fault = { thrown: false };
    const request = guardProgress(call.request, fault);
    const isSmall = call.backend === 'auto' && small.has(request);
    let steps = isSmall ? [BUILTIN] : (await probedPlan(call)).steps;
    const fallbacks: Fallback[] = [];
    for (;;) {
      const step = steps[fallbacks.length] as PlanStep;
      const entry = entryOf(step.backend) as Entry;
      let outcome: SortOutcome;
      try {
        await assertServes(entry, request);
        if (closed) throw new ClosedError('the sorter');
        assertGoesOn(request);
        outcome = await serve(entry, request, fault);
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        if (closed || fault.thrown || isCallers(error, request)) throw error;
        if (step === BUILTIN) {
          const others = planFor(request.shape, 'auto').steps;
          steps = [BUILTIN, ...others.filter(({ backend }) => backend !== 'builtin')];
        }
        if (fallbacks.length === steps.length - 1) throw error;
        fallbacks.push({ backend: step.backend, error: error as Error });
        continue;
      }
      if (call.onReport) {
        const { milliseconds } = isSmall ? stepOf(request.shape, entry) : step;
        const course = { step: { ...step, milliseconds }, outcome, fallbacks, waited, start };
        call.onReport(makeReport(request, course));
      }
      return outcome.permutation;
    }
  }

  /** Has a backend serve a request. What it does wrong is held against it. */
  async function serve(entry: Entry, request: SortRequest, fault: Fault): Promise<SortOutcome> {
    try {
      return await entry.serve(request);
    } catch (error) {
      const isInnocent =
        closed || fault.thrown || request.signal?.aborted || isCallers(error, request);
      if (!isInnocent) entry.failed(error);
      throw error;
    }
  }

  const entryOf = (name: BackendName): Entry | undefined =>
    entries.find(({ backend }) => backend.name === name);

  /** The plan for a request; a backend that the caller named is its only step. */
  function planFor(shape: RequestShape, wanted: BackendName | 'auto'): Plan {
    if (wanted === 'auto') return planRequest(shape, entries, conditions(shape));
    const entry = entryOf(wanted);
    const names = entries.map(({ backend }) => `'${backend.name}'`).join(', ');
    const refusal =
      entry === undefined ? `this sorter has the backends ${names} only` : refusalOf(shape, entry);
    if (refusal !== undefined || entry === undefined) {
      const refused = [{ backend: wanted, reason: refusal as string }];
      return { steps: [], refused, profile: note };
    }
    const step = { ...stepOf(shape, entry), reason: 'the caller named it' };
    return { steps: [step], refused: [], profile: note };
  }

  /**
   * The plan once its first backend has been probed, so that limits and reasons are those of what is
   * there.
   * @throws BackendUnavailableError, or RangeError where it is the length that is too much.
   */
  async function probedPlan({ request: { shape }, backend }: Call): Promise<Plan> {
    for (;;) {
      const plan = planFor(shape, backend);
      const [step] = plan.steps;
      if (step === undefined) throw refusalError(shape, plan.refused[0] as Refusal);
      const first = entryOf(step.backend) as Entry;
      if (first.probe === undefined) {
        const found = await probe(first);
        // A probe that failed is no answer: under 'auto' the backend rests now, unless there is no other.
        if (found.available || first.probe !== undefined) continue;
        if (backend !== 'auto' || plan.steps.length === 1) {
          throw new BackendUnavailableError(first.backend.name, found.reason);
        }
        continue;
      }
      for (const entry of backend === 'auto' ? entries : []) {
        if (entry.probe?.available !== false) entry.miss(shape, step.milliseconds);
      }
      return plan;
    }
  }

  /** Whether 'auto' prefers a backend for any array of 32-bit keys of up to this length: those that stand in for others can wait. */
  function isPreferred({ backend }: Entry, longest: number): boolean {
    const warm = entries.map(({ backend, probe, estimate, heldBytes }) => {
      return { backend, probe, estimate, heldBytes, startUp: 0, restsFor: 0, failure: undefined };
    });
    for (let length = longest; length > 0; length = Math.floor(length / 2)) {
      const firsts = OPERATIONS.map((operation) => {
        const shape = plainShape(operation, 'u32', length);
        return planRequest(shape, warm, conditions(shape)).steps[0]?.backend;
      });
      if (firsts.includes(backend.name)) return true;
    }
    return false;
  }

  /** What to throw for a refused backend. */
  function refusalError(shape: RequestShape, { backend, reason }: Refusal): Error {
    const entry = entryOf(backend);
    const works = entry !== undefined && entry.probe?.available !== false;
    const tooLong = works && entry.backend.maxLength(shape) < shape.length;
    return tooLong && entry.backend.maxLength(shape) > 0
      ? new RangeError(`keys is too long for backend '${backend}': ${reason}`)
      : new BackendUnavailableError(backend, reason);
  }

  /** Probes a backend that has not been, and throws when it can't serve the request. */
  async function assertServes(entry: Entry, { shape }: SortRequest): Promise<void> {
    const found = entry.probe ?? (await probe(entry));
    const reason = refusalOf(shape, { backend: entry.backend, probe: found });
    if (reason !== undefined) throw refusalError(shape, { backend: entry.backend.name, reason });
  }

  const exported = (): Profile => {
    const found = foundAdapter();
    return {
      version: 1,
      key: keyOf(machine, found === undefined ? adapter : found),
      date: new Date().toISOString(),
      backends: Object.fromEntries(
        entries.map(({ backend, figures }) => [backend.name, figures] as const),
      ),
    };
  };

  const sorter: Sorter = {
    ...sortingBy(perform, isOwn),
    plan(request) {
      return planFor(shapeOf(request), request.backend ?? 'auto');
    },
    async capabilities() {
      const found: Partial<Record<BackendName, Probe>> = {};
      for (const entry of entries) found[entry.backend.name] = await probe(entry);
      return found;
    },
    async calibrate(options) {
      const { calibrate } = await import('../plan/calibrate.js');
      if (closed) throw new ClosedError('the sorter');
      const isCounted = (found: Probe): boolean =>
        found.available && (allowSoftware || !found.capabilities.software);
      const counted: Entry[] = [];
      for (const entry of entries) if (isCounted(await probe(entry))) counted.push(entry);
      const measured = await calibrate(counted, options);
      if (closed) throw new ClosedError('the sorter');
      const profile = { ...exported(), backends: measured };
      useProfile(profile);
      return profile;
    },
    async profile() {
      return exported();
    },
    async warmUp(maxLength = 2 ** 20) {
      if (!Number.isSafeInteger(maxLength) || maxLength < 0) {
        throw new RangeError(`maxLength must be a whole number of keys >= 0, got ${maxLength}`);
      }
      for (const entry of entries) {
        if (closed) throw new ClosedError('the sorter');
        if (!isPreferred(entry, maxLength)) continue;
        await probe(entry);
        if (closed) throw new ClosedError('the sorter');
        if (isPreferred(entry, maxLength)) await entry.warmUp(maxLength);
      }
    },
    async release() {
      await Promise.all(entries.map((entry) => entry.release()));
    },
    async close() {
      closed = true;
      await everyone(entries.map((entry) => entry.close()));
    },
  };
  return { sorter, isOwn, dispatch };
}

/** Waits for all, whether or not one rejects, and then rejects as the first that did. */
async function everyone(work: readonly Promise<void>[]): Promise<void> {
  const settled = await Promise.allSettled(work);
  for (const one of settled) if (one.status === 'rejected') throw one.reason;
}
