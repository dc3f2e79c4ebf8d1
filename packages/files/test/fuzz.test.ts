/**
 * Damaged files. Whatever was damaged, a reader gives the values of the whole file or a FileError
 * of one line, and it does so soon and in bounded memory. `npm run test:fuzz -- --seed S --count N`
 * tries N files of each reader.
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import type { TypedArray } from '@keysweep/core';
import { afterAll, describe, expect, it } from 'vitest';
import { bytesOf, type Format } from '../src/index.js';
import {
  arrowSamples,
  type Mutant,
  mutate,
  parquetSamples,
  ROWS,
  rawSamples,
  type Sample,
} from './mutate.js';

const seed = runSeed();
const { KEYSWEEP_FUZZ } = process.env;
const COUNT = KEYSWEEP_FUZZ === undefined ? (isThorough ? 2000 : 500) : Number(KEYSWEEP_FUZZ);

const [RAW, PARQUET, ARROW] = [rawSamples(seed), parquetSamples(seed), arrowSamples(seed)];

/** Milliseconds that a reader may take for a file of some kilobytes. */
const LIMIT = 20_000;
/**
 * Bytes that this process may grow by while it reads them all: what one file may take by default,
 * for the file that is read and for those before it that are garbage, and the threads' code.
 */
const MOST_MEMORY = 512 * 2 ** 20;

type Outcome = { keys: TypedArray } | { message: string; isOurs: boolean } | 'too slow';

let worker: Worker | undefined;
afterAll(() => worker?.terminate());

async function outcomeOf(
  bytes: Uint8Array<ArrayBuffer>,
  how: Format,
  column: string,
): Promise<Outcome> {
  worker ??= new Worker(new URL('./fuzz-worker.mjs', import.meta.url));
  const reader = worker;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooSlow = new Promise<Outcome>((resolve) => {
    timer = setTimeout(() => resolve('too slow'), LIMIT);
  });
  reader.postMessage({ bytes, how, column });
  const outcome = await Promise.race([once(reader, 'message').then(([said]) => said), tooSlow]);
  clearTimeout(timer);
  if (outcome === 'too slow') {
    worker = undefined;
    await reader.terminate();
  }
  return outcome;
}

/** What is wrong with the outcome, or undefined. */
function faultOf(sample: Sample, mutant: Mutant, outcome: Outcome): string | undefined {
  if (outcome === 'too slow') return `it took over ${LIMIT} ms`;
  if ('message' in outcome) {
    if (!outcome.isOurs) return `a foreign error: ${outcome.message}`;
    const isFine =
      outcome.message.includes("'in'") &&
      !outcome.message.includes('\n') &&
      !/undefined|NaN|Offset|properties of|not a function|array length|iterable/.test(
        outcome.message,
      );
    return isFine ? undefined : `a message that says little: ${outcome.message}`;
  }
  const { keys } = outcome;
  // A file of bare numbers is what it is.
  const wanted = sample.how.format === 'raw' ? mutant.bytes : bytesOf(sample.keys);
  const given = bytesOf(keys);
  const isStream = sample.name.startsWith('Arrow stream');
  if (mutant.isContentChanged && sample.how.format !== 'raw') {
    // Any of the two batches of a stream may be lost.
    const lengths = isStream ? [0, 1000, 1500, ROWS] : [ROWS];
    return lengths.includes(keys.length) ? undefined : `${keys.length} rows`;
  }
  if (Buffer.compare(given, wanted) === 0) return undefined;
  // Annotated with another width, the same numbers.
  const isSame =
    keys.length === sample.keys.length &&
    keys.every((key: number | bigint, i: number) => Number(key) === Number(sample.keys[i]));
  if (isSame) return undefined;
  // A stream may end without a mark, after any batch: words that its values lost are not missed.
  const lost = sample.bytes.length - mutant.bytes.length;
  if (isStream && lost > 0) {
    const isPrefix = Buffer.compare(given, wanted.subarray(0, given.length)) === 0;
    if (isPrefix && [0, 1000].includes(keys.length)) return undefined;
    if (lost % 8 === 0 && keys.length === sample.keys.length) return undefined;
  }
  return `other values: ${keys.constructor.name} of ${keys.length}`;
}

describe(`damaged files (seed ${seed}, ${COUNT} of each reader)`, () => {
  it.each([
    ['raw', RAW],
    ['Parquet', PARQUET],
    ['Arrow', ARROW],
  ])('%s: the right values, or one line that says why not', async (_, samples) => {
    const random = new Random(seed);
    const counts = { right: 0, refused: 0 };
    const faults: string[] = [];
    const before = process.resourceUsage().maxRSS;
    for (let i = 0; i < COUNT; i++) {
      const sample = samples[i % samples.length] as Sample;
      const mutant = mutate(sample, random);
      const outcome = await outcomeOf(mutant.bytes, sample.how, sample.column);
      const fault = faultOf(sample, mutant, outcome);
      if (fault !== undefined) faults.push(`${i}: ${sample.name}, ${mutant.what}: ${fault}`);
      else if (typeof outcome === 'object' && 'keys' in outcome) counts.right++;
      else counts.refused++;
    }
    expect(faults).toEqual([]);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(MOST_MEMORY / 1024);
    // Damage to values alone is read, damage to lengths is refused.
    expect(Math.min(counts.right, counts.refused)).toBeGreaterThan(0);
    console.log(`${_}: ${counts.right} right, ${counts.refused} refused`);
  });

  it('whole: the right values', async () => {
    for (const sample of [...RAW, ...PARQUET, ...ARROW]) {
      const outcome = await outcomeOf(sample.bytes, sample.how, sample.column);
      if (outcome === 'too slow' || 'message' in outcome) throw new Error(JSON.stringify(outcome));
      assertSameBits(sample.name, outcome.keys, sample.keys);
      expect(sample.content.includes(1), sample.name).toBe(true);
    }
  });
});
