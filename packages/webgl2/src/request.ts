/**
 * Serves one request: makes a job of it, lets the engine do that, and writes the result into the
 * caller's arrays.
 */

import {
  type GpuRequest,
  gatherSteps,
  identitySteps,
  type KeyType,
  keyTypeOf,
  type Result,
  type SortOutcome,
  type SortRequest,
  segmentNumberSteps,
} from '@keysweep/core';
import type { Engine } from './engine.js';
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
  lifecycle: GpuRequest,
  memory: WordMemory,
): Promise<Outcome> {
  const { columns, shape } = request;
  if (shape.length < 2) {
    const permutation = await lifecycle.run(identitySteps(shape.length));
    return finish(request, lifecycle, permutation, 0);
  }
  const job = await lifecycle.run(jobSteps(request, memory));
  const { words, passes } = await engine.sort(job, (stage) => lifecycle.enter(stage));
  lifecycle.goOn();
  if (job.wanted === 'permutation') return finish(request, lifecycle, words, passes);
  const [target] = columns;
  const { length } = shape;
  const bits = await lifecycle.run(fromWords(words, target));
  await lifecycle.commit([{ name: 'keys', target, length, bits }]);
  memory.keep(words);
  return { permutation: undefined, passes: { run: passes, skipped: 0 }, bound: 0 };
}

/** Brings keys and payloads into the order of a permutation; for argsort that is the result. */
async function finish(
  request: SortRequest,
  lifecycle: GpuRequest,
  permutation: Uint32Array<ArrayBuffer>,
  run: number,
): Promise<Outcome> {
  const { shape, columns, values } = request;
  const passes = { run, skipped: 0 };
  if (shape.operation === 'argsort') return { permutation, passes, bound: 0 };
  const results: Result[] = [await lifecycle.run(gatherSteps('keys', columns[0], permutation))];
  if (values !== undefined) {
    results.push(await lifecycle.run(gatherSteps('values', values, permutation)));
  }
  await lifecycle.commit(results);
  return { permutation: undefined, passes, bound: 0 };
}

/** Reads the caller's keys, as words. */
function* jobSteps(
  { shape, columns, segments }: SortRequest,
  memory: WordMemory,
): Generator<undefined, Job> {
  const { operation, length, order, keyBits } = shape;
  const isBare = operation === 'sort' && segments === undefined && keyBits === undefined;
  const wanted = isBare && wordsPer(columns[0]) === 1 ? 'keys' : 'permutation';
  const all: Column[] = [];
  if (segments !== undefined) {
    const words = yield* segmentNumberSteps(segments, length);
    all.push({ words, wordsPer: 1, order: keyOrder('u32', 'ascending', wanted) });
  }
  for (const keys of columns) {
    const words = yield* toWords(keys, memory);
    const keyType = keyTypeOf(keys) as KeyType;
    const ownOrder = keyOrder(keyType, order, wanted, keyBits);
    all.push({ words, wordsPer: wordsPer(keys), order: ownOrder });
  }
  return { length, wanted, columns: all as [Column, ...Column[]] };
}
