/** A whole request: to a job, through the engine, and its result into the caller's arrays. */

import {
  gather,
  identity,
  type KeyArray,
  type KeyType,
  keyTypeOf,
  type Order,
  type RequestLifecycle,
  type Result,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import type { Engine } from './context/engine.js';
import { type Column, type Job, keyOrder } from './job.js';
import { fromWords, toWords, type WordMemory, wordsPer } from './words.js';

/** An outcome without what the backend adds. */
type Outcome = Pick<SortOutcome, 'permutation' | 'passes' | 'bound'>;

/**
 * Serves `request`.
 * @throws Failure, BackendUnavailableError; what `lifecycle` throws.
 */
export async function serve(
  engine: Engine,
  request: SortRequest,
  lifecycle: RequestLifecycle,
  memory: WordMemory,
): Promise<Outcome> {
  const { columns, shape } = request;
  if (shape.length < 2) return finish(request, lifecycle, identity(shape.length), 0);
  const job = jobOf(request, memory);
  const { words, passes } = await engine.sort(job, (stage) => lifecycle.enter(stage));
  lifecycle.goOn();
  if (job.wanted === 'permutation') return finish(request, lifecycle, words, passes);
  const [target] = columns;
  const { length } = shape;
  lifecycle.commit([{ name: 'keys', target, length, bits: fromWords(words, target) }]);
  memory.keep(words);
  return { permutation: undefined, passes: { run: passes, skipped: 0 }, bound: 0 };
}

/** Brings keys and payloads into the order of a permutation; for argsort that is the result. */
function finish(
  request: SortRequest,
  lifecycle: RequestLifecycle,
  permutation: Uint32Array<ArrayBuffer>,
  run: number,
): Outcome {
  const { shape, columns, values } = request;
  const passes = { run, skipped: 0 };
  if (shape.operation === 'argsort') return { permutation, passes, bound: 0 };
  const results: Result[] = [gather('keys', columns[0], permutation)];
  if (values !== undefined) results.push(gather('values', values, permutation));
  lifecycle.commit(results);
  return { permutation: undefined, passes, bound: 0 };
}

function jobOf({ shape, columns, segments }: SortRequest, memory: WordMemory): Job {
  const { operation, length, order, keyBits } = shape;
  const isAlone = operation === 'sort' && segments === undefined && keyBits === undefined;
  const wanted = isAlone && wordsPer(columns[0]) === 1 ? 'keys' : 'permutation';
  const column = (keys: KeyArray, order: Order): Column => ({
    words: toWords(keys, memory),
    wordsPer: wordsPer(keys),
    order: keyOrder(keyTypeOf(keys) as KeyType, order, keyBits, wanted === 'keys'),
  });
  const all = columns.map((keys) => column(keys, order));
  if (segments !== undefined) {
    const words = segmentNumbers(segments, length);
    const order = keyOrder('u32', 'ascending', undefined, false);
    all.unshift({ words, wordsPer: 1, order });
  }
  return { length, wanted, columns: all as [Column, ...Column[]] };
}

/** The number of the segment that each key is in. O(length), 4 bytes a key. */
function segmentNumbers(starts: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const numbers = new Uint32Array(length);
  for (let i = 0; i < starts.length; i++) numbers.fill(i, starts[i], starts[i + 1] ?? length);
  return numbers;
}
