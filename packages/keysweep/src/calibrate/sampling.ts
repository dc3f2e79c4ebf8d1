/** Times sorts of random keys. */

import { type KeyType, plainRequest, type RequestShape, readClock } from '@keysweep/core';
import { Random } from '@keysweep/core/random';
import type { BackendState } from '../run/backend-state.js';

/** Milliseconds that a sample lasts at least: browsers' clocks tick in 0.1 ms. */
export const SAMPLE_MILLISECONDS = 1;

/** The most calls of a sample. */
const MAX_CALLS = 100;

/**
 * Bytes of keys that the calls of a sample sort, if there are several. By a clock that ticks slowly
 * even long sorts take no time, and seem to need many calls.
 */
const MAX_BYTES = 2 ** 26;

/**
 * The number of calls in a sample, if one call should take `expected` milliseconds, and sorts
 * `bytes` of keys.
 */
export function callsFor(expected: number, bytes: number): number {
  const most = Math.min(MAX_CALLS, Math.ceil(MAX_BYTES / bytes));
  const least = SAMPLE_MILLISECONDS / MAX_CALLS;
  return Math.min(most, Math.ceil(SAMPLE_MILLISECONDS / Math.max(expected, least)) || 1);
}

/**
 * Milliseconds of a sort of a fresh array. The mean of several sorts, where one is too short for
 * the clock.
 */
export async function timeSort(
  state: BackendState,
  shape: RequestShape,
  source: KeySource,
  expected: number,
): Promise<number> {
  const calls = callsFor(expected, source.bytes);
  const requests = Array.from({ length: calls }, () =>
    plainRequest(shape.operation, source.take()),
  );
  const start = readClock();
  for (const request of requests) await state.sort(request);
  return (readClock() - start) / calls;
}

/**
 * Keys that a source holds beyond one array. Each array starts at another place: processors learn
 * to predict the branches of keys that are sorted again and again.
 */
const SPARE = 2 ** 14;

/** Random keys, made once: making them takes longer than sorting them. */
export class KeySource {
  readonly #keys: ReturnType<typeof randomKeys>;
  readonly #length: number;
  #at = 0;

  constructor(keyType: KeyType, length: number) {
    this.#keys = randomKeys(keyType, length + SPARE);
    this.#length = length;
  }

  /** Bytes of an array. */
  get bytes(): number {
    return this.#length * this.#keys.BYTES_PER_ELEMENT;
  }

  /** A new array of keys. */
  take(): ReturnType<typeof randomKeys> {
    this.#at = (this.#at + this.#length) % SPARE;
    return this.#keys.slice(this.#at, this.#at + this.#length);
  }
}

/** Random integers over the whole range of their type, or floats of both signs. */
function randomKeys(
  keyType: KeyType,
  length: number,
): Uint8Array | Uint32Array | Float32Array | Float64Array {
  const keys = { u8: Uint8Array, u32: Uint32Array, f32: Float32Array, f64: Float64Array };
  const array = new keys[keyType as keyof typeof keys](length);
  const random = new Random(readClock() * 1000);
  if (array instanceof Uint8Array || array instanceof Uint32Array) return random.fill(array);
  for (let i = 0; i < length; i++) array[i] = random.bits() - 2 ** 31;
  return array;
}
