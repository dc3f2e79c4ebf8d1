/** Measures how long sorts take on this machine. Loaded when `calibrate()` is called. */

import {
  type BackendName,
  describe,
  type KeyType,
  type Operation,
  plainShape,
  type RequestShape,
  readClock,
  readOptions,
} from '@keysweep/core';
import { classOf, modelled, type Times } from '../plan/cost.js';
import type { BackendProfile } from '../plan/profile.js';
import type { BackendState } from '../run/backend-state.js';
import { callsFor, KeySource, SAMPLE_MILLISECONDS, timeSort } from './sampling.js';

/** Options of `calibrate`. */
export interface CalibrateOptions {
  /**
   * Milliseconds for timing warm sorts, above 0, default 2000. Starts of backends, and the first
   * sort of each kind, come on top.
   */
  readonly milliseconds?: number;
}

/**
 * The classes that are measured, the most used first. Others take the correction of a similar
 * one.
 */
const CLASSES: readonly (readonly [Operation, KeyType])[] = [
  ['sort', 'u32'],
  ['argsort', 'u32'],
  ['sort', 'f64'],
  ['sort', 'f32'],
  ['sort', 'u8'],
  ['sortPairs', 'u32'],
  ['argsort', 'f64'],
];

/**
 * The lengths that are measured, in this order, each for all classes. If time runs out, a length
 * between two measured ones is left out.
 */
const LENGTHS: readonly number[] = [2 ** 11, 2 ** 8, 2 ** 20, 2 ** 17, 2 ** 22, 2 ** 14, 2 ** 18];

/** A backend is not timed if it should take this many times as long as the best one. */
const GIVE_UP_FACTOR = 6;

/**
 * Samples of a point, fewer of long sorts. The quickest one counts: disturbances only add time.
 */
const samplesFor = (expected: number): number => (expected > 2 ? 3 : 7);

/**
 * Calls of a short sort before its samples, and the share of the time that they may take. Engines
 * compile a function after some hundred calls.
 */
const WARM_UP_CALLS = 500;
const WARM_UP_SHARE = 1 / 50;

/**
 * Times sorts of random keys by the backends in turn, each where it may be the best. A point
 * that should take longer than the time that is left is left out. Cold backends are started
 * first, and the first sort of each kind is not counted; neither takes from the time. A backend
 * that fails gets no figures, and rests.
 * @throws RangeError where `milliseconds` is not a number above 0; TypeError for other options.
 */
export async function calibrate(
  states: readonly BackendState[],
  given?: CalibrateOptions,
): Promise<{ [name in BackendName]?: BackendProfile }> {
  const { milliseconds = 2000 } = readOptions<CalibrateOptions>(given, ['milliseconds']);
  if (!(milliseconds > 0 && Number.isFinite(milliseconds))) {
    throw new RangeError(`milliseconds must be a number above 0, got ${describe(milliseconds)}`);
  }
  const working: Measured[] = [];
  for (const state of states) {
    const start = await unlessFailing(state, () => startOf(state));
    if (start !== undefined) working.push({ state, start, times: {}, isFailing: false });
  }
  // The last point that is begun may take a little longer than was expected.
  const budget = { left: 0.9 * milliseconds, warmUp: WARM_UP_SHARE * milliseconds };
  for (const length of LENGTHS) {
    for (const [operation, keyType] of CLASSES) {
      await measurePoint(working, plainShape(operation, keyType, length), budget);
    }
  }
  return Object.fromEntries(
    working
      .filter(({ isFailing }) => !isFailing)
      .map(({ state, start, times }): [BackendName, BackendProfile] => {
        for (const points of Object.values(times)) points.sort(([a], [b]) => a - b);
        return [state.backend.name, { start, times }];
      }),
  );
}

/** A backend and its measurements so far. */
interface Measured {
  readonly state: BackendState;
  readonly start: number;
  readonly times: Record<string, [length: number, milliseconds: number][]>;
  isFailing: boolean;
}

/** A backend at a point. */
interface Contender {
  readonly backend: Measured;
  /** Milliseconds a call. */
  expected: number;
  readonly samples: number[];
}

/** Milliseconds that are left, and that a warm-up for one kind of sort may take. */
interface Budget {
  left: number;
  readonly warmUp: number;
}

/** Times a request on every backend that may be the best, if the time is enough. */
async function measurePoint(
  backends: readonly Measured[],
  shape: RequestShape,
  budget: Budget,
): Promise<void> {
  const { operation, keyTypes, length } = shape;
  const name = classOf(operation, keyTypes[0] as KeyType);
  const contenders = backends
    .filter(({ isFailing }) => !isFailing)
    .map((backend): Contender => {
      const expected = expectedOf(backend.state, backend.times[name] ?? [], shape);
      return { backend, expected, samples: [] };
    });
  const best = Math.min(...contenders.map(({ expected }) => expected));
  const asked = contenders.filter(({ expected }) => expected <= GIVE_UP_FACTOR * best);
  const isCold = ({ backend, expected }: Contender): boolean =>
    backend.times[name] === undefined && expected < SAMPLE_MILLISECONDS;
  const wanted = asked.reduce((sum, contender) => {
    const sampling =
      samplesFor(contender.expected) * Math.max(contender.expected, SAMPLE_MILLISECONDS);
    const warming = Math.min(budget.warmUp, WARM_UP_CALLS * contender.expected);
    return sum + sampling + (isCold(contender) ? warming : 0);
  }, 0);
  if (wanted > budget.left) return;
  const source = new KeySource(keyTypes[0] as KeyType, length);
  for (const contender of asked) {
    if (contender.backend.times[name] !== undefined) continue;
    // Once to get ready for this kind of sort; once more to know how many calls make a sample, or
    // until it is warm.
    await sample({ ...contender, expected: Number.POSITIVE_INFINITY });
    const start = readClock();
    let left = isCold(contender) ? WARM_UP_CALLS : 1;
    contender.expected = Number.POSITIVE_INFINITY;
    do {
      left -= callsFor(contender.expected, source.bytes);
      contender.expected = (await sample(contender)) ?? contender.expected;
    } while (left > 0 && !contender.backend.isFailing && readClock() - start < budget.warmUp);
    budget.left -= readClock() - start;
  }
  const most = Math.max(...asked.map(({ expected }) => samplesFor(expected)));
  for (let i = 0; i < most; i++) {
    for (const contender of asked) {
      const { backend, expected, samples } = contender;
      if (i >= samplesFor(expected) || backend.isFailing) continue;
      const start = readClock();
      const taken = await sample(contender);
      budget.left -= readClock() - start;
      if (taken !== undefined) samples.push(taken);
    }
  }
  for (const { backend, samples } of asked) {
    // A sample that took no time is too short for the clock, and the others are then chance.
    if (backend.isFailing || samples.length === 0 || samples.includes(0)) continue;
    backend.times[name] = [...(backend.times[name] ?? []), [length, Math.min(...samples)]];
  }

  async function sample({ backend, expected }: Contender): Promise<number | undefined> {
    if (backend.isFailing) return undefined;
    const { state } = backend;
    const taken = await unlessFailing(state, () => timeSort(state, shape, source, expected));
    if (taken === undefined) backend.isFailing = true;
    return taken;
  }
}

/** The result of `work`; undefined where it fails, and the backend then rests. */
async function unlessFailing<T>(
  state: BackendState,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    state.noteFailure(error);
    return undefined;
  }
}

/**
 * Milliseconds that a backend's first sort takes longer than its second. Of a warm backend, what
 * is expected.
 */
async function startOf(state: BackendState): Promise<number> {
  if (state.isWarm) return state.estimate.start;
  const shape = plainShape('sort', 'u32', 2 ** 12);
  const source = new KeySource('u32', shape.length);
  const first = await timeSort(state, shape, source, Number.POSITIVE_INFINITY);
  const second = await timeSort(state, shape, source, Number.POSITIVE_INFINITY);
  return Math.max(0, first - second);
}

/** Milliseconds that a request should take, by the last length of its class that was measured. */
function expectedOf(state: BackendState, known: Times, shape: RequestShape): number {
  const { costs } = state.estimate;
  const last = known.at(-1);
  const ratio = last === undefined ? 1 : last[1] / modelled(costs, { ...shape, length: last[0] });
  return modelled(costs, shape) * ratio;
}
