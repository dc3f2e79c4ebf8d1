/** Measures what sorts cost on this machine. Loaded when it is asked for. */

import type { BackendName, KeyType, Operation, RequestShape, SortRequest } from '@keysweep/core';
import { classOf, modelled, plainShape, type Times } from './cost.js';
import type { Entry } from './entry.js';
import type { BackendProfile } from './profile.js';

/** Options of `calibrate`. */
export interface CalibrateOptions {
  /** Most time to measure warm sorts, default 2000; backends that are cold are started before. */
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
 * Lengths, each for all classes before the next: should time run out, it is the longest that are missing. The shortest
 * are not the first, for an engine needs some calls until it runs code at full speed, and they are the most
 * sensitive to that.
 */
const LENGTHS: readonly number[] = [
  2 ** 11,
  2 ** 13,
  2 ** 9,
  2 ** 7,
  2 ** 16,
  2 ** 18,
  2 ** 20,
  2 ** 22,
];

/** Samples of a point: the quickest counts, for what disturbs only ever takes longer. */
const SAMPLES = 7;

/** A sample lasts so long at least, in milliseconds, for clocks are coarse. */
const SAMPLE_MILLISECONDS = 1;
const MOST_CALLS = 100;

type Points = Record<string, [length: number, milliseconds: number][]>;

/**
 * Times sorts of random keys by every one of `entries` in turns. What would take longer than what is left of the
 * time, going by what was measured so far, is left out. A backend that is cold is started first, which is not part of the time.
 * @throws RangeError for a time that is none; what a backend rejects with.
 */
export async function calibrate(
  entries: readonly Entry[],
  { milliseconds = 2000 }: CalibrateOptions = {},
): Promise<{ [name in BackendName]?: BackendProfile }> {
  if (!(milliseconds > 0 && Number.isFinite(milliseconds))) {
    throw new RangeError(`milliseconds must be a number above 0, got ${milliseconds}`);
  }
  const starts = new Map<Entry, number>();
  const points = new Map<Entry, Points>(entries.map((entry) => [entry, {}]));
  for (const entry of entries) starts.set(entry, await startOf(entry));
  // The last point that is begun may take a little longer than was expected.
  const end = performance.now() + 0.9 * milliseconds;
  for (const length of LENGTHS) {
    for (const [operation, keyType] of CLASSES) {
      const make = (): SortRequest => randomRequest(operation, keyType, length);
      const name = classOf(operation, keyType);
      const samples = new Map<Entry, number[]>();
      for (let i = 0; i < SAMPLES; i++) {
        for (const entry of entries) {
          const known = (points.get(entry) as Points)[name] ?? [];
          const expected = expectedOf(entry, known, plainShape(operation, keyType, length));
          const left = end - performance.now();
          // One point may take a part of what is left; what is begun is finished while there is time.
          const wanted = Math.max(expected, SAMPLE_MILLISECONDS) * (i === 0 ? SAMPLES * 6 : 1);
          if (wanted > left || (i > 0 && !samples.has(entry))) continue;
          samples.set(entry, [...(samples.get(entry) ?? []), await timed(entry, make, expected)]);
        }
      }
      for (const [entry, taken] of samples) {
        const all = points.get(entry) as Points;
        all[name] = [...(all[name] ?? []), [length, Math.min(...taken)]];
      }
    }
  }
  return Object.fromEntries(
    entries.map((entry) => {
      const times: Record<string, Times> = points.get(entry) as Points;
      for (const line of Object.values(points.get(entry) as Points)) line.sort(([a], [b]) => a - b);
      const profile: BackendProfile = { start: starts.get(entry) ?? 0, times, factor: 1 };
      return [entry.backend.name, profile];
    }),
  );
}

/** Milliseconds that a backend's first sort takes longer than its second; what is expected, where it is warm already. */
async function startOf(entry: Entry): Promise<number> {
  if (entry.isWarm) return entry.estimate.start;
  const make = (): SortRequest => randomRequest('sort', 'u32', 2 ** 12);
  const first = await timed(entry, make, Number.POSITIVE_INFINITY);
  const second = await timed(entry, make, Number.POSITIVE_INFINITY);
  return Math.max(0, first - second);
}

/** What a request will take, by the last of its class that was measured. */
function expectedOf(entry: Entry, known: Times, shape: RequestShape): number {
  const { costs } = entry.estimate;
  const last = known.at(-1);
  const ratio = last === undefined ? 1 : last[1] / modelled(costs, { ...shape, length: last[0] });
  return modelled(costs, shape) * ratio;
}

/** Milliseconds of a sort of a fresh array: the mean of several, where one is too quick for the clock. */
async function timed(entry: Entry, make: () => SortRequest, expected: number): Promise<number> {
  const least = SAMPLE_MILLISECONDS / MOST_CALLS;
  const calls = Math.max(1, Math.ceil(SAMPLE_MILLISECONDS / Math.max(expected, least)));
  const requests = Array.from({ length: calls }, make);
  const start = performance.now();
  for (const request of requests) await entry.serve(request);
  return (performance.now() - start) / calls;
}

function randomRequest(operation: Operation, keyType: KeyType, length: number): SortRequest {
  const shape = plainShape(operation, keyType, length);
  return {
    shape,
    columns: [randomKeys(keyType, length)],
    values: operation === 'sortPairs' ? new Uint32Array(length) : undefined,
    segments: undefined,
    signal: undefined,
    onProgress: undefined,
  };
}

/** Keys over the whole range of the integers of that width, or as many floats of both signs: xorshift32 (Marsaglia, 2003). */
function randomKeys(
  keyType: KeyType,
  length: number,
): Uint8Array | Uint32Array | Float32Array | Float64Array {
  const keys = { u8: Uint8Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };
  const array = new keys[keyType as keyof typeof keys](length);
  let state = 0x9e3779b9 ^ (performance.now() * 1000);
  const middle = keyType.startsWith('f') ? 2 ** 31 : 0;
  for (let i = 0; i < length; i++) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    array[i] = (state >>> 0) - middle;
  }
  return array;
}
