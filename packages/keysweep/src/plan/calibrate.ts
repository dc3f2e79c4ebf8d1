/** Measures what sorts cost on this machine. Loaded when it is asked for. */

import {
  type BackendName,
  type KeyType,
  type Operation,
  plainRequest,
  plainShape,
  type RequestShape,
} from '@keysweep/core';
import { Random } from '@keysweep/core/random';
import type { BackendState } from '../run/backend-state.js';
import { classOf, modelled, type Times } from './cost.js';
import type { BackendProfile } from './profile.js';

/** Options of `calibrate`. */
export interface CalibrateOptions {
  /**
   * Most time to measure warm sorts, default 2000; to start backends and to compile what a kind
   * of sort needs is not part of it.
   */
  readonly milliseconds?: number;
}

/** What is measured, the most telling first: the rest costs what its like does. */
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
 * Lengths, each for all classes before the next, the most telling first: should time run out,
 * it is what lies between others that is missing.
 */
const LENGTHS: readonly number[] = [2 ** 11, 2 ** 8, 2 ** 20, 2 ** 17, 2 ** 22, 2 ** 14, 2 ** 18];

/**
 * A backend that should take so many times as long as the best one will not be chosen, however
 * long exactly it takes.
 */
const GIVE_UP_FACTOR = 6;

/**
 * Samples of a point, fewer of what takes milliseconds: the quickest counts, for what disturbs
 * only ever takes longer.
 */
const samplesFor = (expected: number): number => (expected > 2 ? 3 : 7);

/** A sample lasts so long at least, in milliseconds, for clocks are coarse. */
const SAMPLE_MILLISECONDS = 1;
const MOST_CALLS = 100;

/**
 * How often short arrays are sorted before they count, and for what share of the time at most:
 * engines compile what is called some hundred times.
 */
const WARM_UP_CALLS = 500;
const WARM_UP_SHARE = 1 / 50;

/**
 * Times sorts of random keys by `states` in turns, by each of them where it may be the best.
 * What would take longer than what is left of the time, going by what was measured so far, is
 * left out. A backend that is cold is started first, and of each kind of sort the first is not
 * counted: neither is part of the time. A backend that fails has no figures then, and rests.
 * @throws RangeError for a time that is none.
 */
export async function calibrate(
  states: readonly BackendState[],
  { milliseconds = 2000 }: CalibrateOptions = {},
): Promise<{ [name in BackendName]?: BackendProfile }> {
  if (!(milliseconds > 0 && Number.isFinite(milliseconds))) {
    throw new RangeError(`milliseconds must be a number above 0, got ${milliseconds}`);
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

/** What is known of a backend so far. */
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

/** Milliseconds that may still be spent, and on warming a backend up for one kind of sort. */
interface Budget {
  left: number;
  readonly warmUp: number;
}

/** Times a request of every backend that may be the best, and that there is the time for. */
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
  const source = new Source(keyTypes[0] as KeyType, length);
  for (const contender of asked) {
    if (contender.backend.times[name] !== undefined) continue;
    // Once to get ready for this kind of sort; once more to know how many calls make a sample, or
    // until it is warm.
    await sample({ ...contender, expected: Number.POSITIVE_INFINITY });
    const start = performance.now();
    let left = isCold(contender) ? WARM_UP_CALLS : 1;
    contender.expected = Number.POSITIVE_INFINITY;
    do {
      left -= callsFor(contender.expected);
      contender.expected = (await sample(contender)) ?? contender.expected;
    } while (left > 0 && !contender.backend.isFailing && performance.now() - start < budget.warmUp);
    budget.left -= performance.now() - start;
  }
  const most = Math.max(...asked.map(({ expected }) => samplesFor(expected)));
  for (let i = 0; i < most; i++) {
    for (const contender of asked) {
      const { backend, expected, samples } = contender;
      if (i >= samplesFor(expected) || backend.isFailing) continue;
      const start = performance.now();
      const taken = await sample(contender);
      budget.left -= performance.now() - start;
      if (taken !== undefined) samples.push(taken);
    }
  }
  for (const { backend, samples } of asked) {
    if (backend.isFailing || samples.length === 0) continue;
    backend.times[name] = [...(backend.times[name] ?? []), [length, Math.min(...samples)]];
  }

  async function sample({ backend, expected }: Contender): Promise<number | undefined> {
    if (backend.isFailing) return undefined;
    const { state } = backend;
    const taken = await unlessFailing(state, () => timed(state, shape, source, expected));
    if (taken === undefined) backend.isFailing = true;
    return taken;
  }
}

/** What `work` comes to; undefined where the backend fails, which then rests. */
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
 * Milliseconds that a backend's first sort takes longer than its second; what is expected,
 * where it is warm already.
 */
async function startOf(state: BackendState): Promise<number> {
  if (state.isWarm) return state.estimate.start;
  const shape = plainShape('sort', 'u32', 2 ** 12);
  const source = new Source('u32', shape.length);
  const first = await timed(state, shape, source, Number.POSITIVE_INFINITY);
  const second = await timed(state, shape, source, Number.POSITIVE_INFINITY);
  return Math.max(0, first - second);
}

/** What a request will take, by the last of its class that was measured. */
function expectedOf(state: BackendState, known: Times, shape: RequestShape): number {
  const { costs } = state.estimate;
  const last = known.at(-1);
  const ratio = last === undefined ? 1 : last[1] / modelled(costs, { ...shape, length: last[0] });
  return modelled(costs, shape) * ratio;
}

/** How many calls make a sample. */
function callsFor(expected: number): number {
  const least = SAMPLE_MILLISECONDS / MOST_CALLS;
  return Math.max(1, Math.ceil(SAMPLE_MILLISECONDS / Math.max(expected, least)));
}

/**
 * Milliseconds of a sort of a fresh array: the mean of several, where one is too quick for the
 * clock.
 */
async function timed(
  state: BackendState,
  shape: RequestShape,
  source: Source,
  expected: number,
): Promise<number> {
  const calls = callsFor(expected);
  const requests = Array.from({ length: calls }, () =>
    plainRequest(shape.operation, source.take()),
  );
  const start = performance.now();
  for (const request of requests) await state.sort(request);
  return (performance.now() - start) / calls;
}

/**
 * Keys from which short arrays are cut, each from another place: an engine gets to know what it
 * sorts again and again.
 */
const SPARE = 2 ** 14;

/** Random keys, made once: that takes longer than some sorts. */
class Source {
  readonly #keys: ReturnType<typeof randomKeys>;
  readonly #length: number;
  #at = 0;

  constructor(keyType: KeyType, length: number) {
    this.#keys = randomKeys(keyType, length + SPARE);
    this.#length = length;
  }

  /** An array that nobody else has. */
  take(): ReturnType<typeof randomKeys> {
    this.#at = (this.#at + this.#length) % SPARE;
    return this.#keys.slice(this.#at, this.#at + this.#length);
  }
}

/** Keys over the whole range of the integers of that width, or as many floats of both signs. */
function randomKeys(
  keyType: KeyType,
  length: number,
): Uint8Array | Uint32Array | Float32Array | Float64Array {
  const keys = { u8: Uint8Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };
  const array = new keys[keyType as keyof typeof keys](length);
  const random = new Random(performance.now() * 1000);
  if (array instanceof Uint8Array || array instanceof Uint32Array) return random.fill(array);
  for (let i = 0; i < length; i++) array[i] = random.bits() - 2 ** 31;
  return array;
}
