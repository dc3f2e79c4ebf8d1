/**
 * Damaged files. Whatever was damaged, a reader gives the values of the whole file or a FileError
 * of one line, and it does so soon and in bounded memory. `npm run test:fuzz -- --seed S --count N`
 * tries N files of each reader. Damaged CSV is in csv.test.ts, beside what says how it is read.
 */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import { assertSameBits } from '@keysweep/conformance/verify';
import type { TypedArray } from '@keysweep/core';
import { afterAll, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { bytesOf, type Format } from '../src/index.js';
import {
  arrowSamples,
  type Mutant,
  mutate,
  npySamples,
  parquetSamples,
  ROWS,
  rawSamples,
  type Sample,
} from './mutate.js';
import { arrowTables, parquetTables, type TableSample } from './tables.js';

drawTests(1 / 2);

const seed = runSeed();
const { KEYSWEEP_FUZZ } = process.env;
const COUNT = KEYSWEEP_FUZZ === undefined ? (isThorough ? 5000 : 250) : Number(KEYSWEEP_FUZZ);

const [RAW, NPY] = [rawSamples(seed), npySamples(seed)];
const [PARQUET, ARROW] = [parquetSamples(seed), arrowSamples(seed)];

/** Milliseconds that a reader may take for a file of some kilobytes. */
const LIMIT = 20_000;
/**
 * Bytes that this process may grow by while it reads them all: what one file may take by default,
 * for the file that is read and for those before it that are garbage, and the threads' code.
 */
const MAX_MEMORY = 512 * 2 ** 20;

const MiB = 2 ** 20;
/**
 * What a reader may take for one file. Damage may have it that pages of Parquet are compressed by
 * Brotli, which has a window of 32 MiB, whatever the file.
 */
const maxFor = (size: number, { format }: Format): number =>
  64 * size + (format === 'parquet' ? 40 : 1) * MiB;

interface Grown {
  readonly grown: { readonly arrays: number; readonly objects: number };
}
type Refused = { readonly message: string; readonly isOurs: boolean } & Grown;
type Outcome = ({ readonly keys: TypedArray } & Grown) | Refused | 'too slow';
/** Of a table: its rows, or what about them is not as it should be. */
type TableOutcome = ({ readonly rows?: number; readonly fault?: string } & Grown) | Refused;

let worker: Worker | undefined;
afterAll(() => worker?.terminate());

/** What the reader makes of a file; without a `column` of all columns of a table. */
async function outcomeOf<T = Outcome>(
  bytes: Uint8Array<ArrayBuffer>,
  how: Format,
  column?: string,
): Promise<T | 'too slow'> {
  // A reader that takes much more than the files for objects ends, and the test with it.
  worker ??= new Worker(new URL('./fuzz-worker.mjs', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  });
  const reader = worker;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooSlow = new Promise<'too slow'>((resolve) => {
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

function faultOfMessage({ message, isOurs }: Refused): string | undefined {
  if (!isOurs) return `a foreign error: ${message}`;
  const isFine =
    !message.includes('\n') &&
    !/undefined|NaN|Offset|properties of|not a function|array length|iterable/.test(message);
  return isFine ? undefined : `a message that says little: ${message}`;
}

function faultOfMemory(size: number, how: Format, { grown }: Grown): string | undefined {
  if (grown.arrays > maxFor(size, how)) return `${grown.arrays} bytes of arrays for ${size}`;
  return grown.objects > 16 * MiB ? `${grown.objects} bytes of objects for ${size}` : undefined;
}

/** What is wrong with the outcome, or undefined. */
function faultOf(sample: Sample, mutant: Mutant, outcome: Outcome): string | undefined {
  if (outcome === 'too slow') return `it took over ${LIMIT} ms`;
  const fault = faultOfMemory(mutant.bytes.length, sample.how, outcome);
  if (fault !== undefined) return fault;
  if ('message' in outcome) {
    const isNamed = outcome.message.includes("'in'");
    return isNamed ? faultOfMessage(outcome) : `a message without the file: ${outcome.message}`;
  }
  const { keys } = outcome;
  if (sample.how.format === 'npy') {
    // Another header is that of another file, whose numbers are the bytes after it.
    const numbers = mutant.bytes.subarray(mutant.bytes.length - keys.byteLength);
    return Buffer.compare(bytesOf(keys), numbers) === 0 ? undefined : 'other bytes';
  }
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
    ['NumPy', NPY],
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
    expect(faults.slice(0, 20)).toEqual([]);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(MAX_MEMORY / 1024);
    // Damage to values alone is read, damage to lengths is refused.
    expect(Math.min(counts.right, counts.refused)).toBeGreaterThan(0);
    console.log(`${_}: ${counts.right} right, ${counts.refused} refused`);
  });

  it.each([
    ['Parquet', parquetTables(new Random(seed))],
    ['Arrow', arrowTables(new Random(seed))],
  ])(
    '%s of all types: rows that can be written and read again, or one line',
    async (_, samples) => {
      const random = new Random(seed);
      const counts = { right: 0, refused: 0 };
      const faults: string[] = [];
      const note = (what: string, bytes: Uint8Array, outcome: TableOutcome | 'too slow'): void => {
        const { how } = samples[0] as TableSample;
        const fault =
          outcome === 'too slow'
            ? `it took over ${LIMIT} ms`
            : (faultOfMemory(bytes.length, how, outcome) ??
              ('message' in outcome ? faultOfMessage(outcome) : outcome.fault));
        if (fault !== undefined) faults.push(`${what}: ${fault}`);
        else if (typeof outcome === 'object' && 'message' in outcome) counts.refused++;
        else counts.right++;
      };
      const read = ({ how }: TableSample, bytes: Uint8Array<ArrayBuffer>) =>
        outcomeOf<TableOutcome>(bytes, how);
      for (const sample of samples) {
        note(sample.name, sample.bytes, await read(sample, sample.bytes));
      }
      expect({ ...counts, faults }).toEqual({ right: samples.length, refused: 0, faults: [] });
      for (let i = 0; i < COUNT; i++) {
        const sample = samples[i % samples.length] as TableSample;
        const content = new Uint8Array(sample.bytes.length);
        const { bytes, what } = mutate({ bytes: sample.bytes, content }, random);
        note(`${i}: ${sample.name}, ${what}`, bytes, await read(sample, bytes));
      }
      expect(faults.slice(0, 20)).toEqual([]);
      expect(Math.min(counts.right, counts.refused)).toBeGreaterThan(COUNT / 20);
      console.log(`${_} of all types: ${counts.right} right, ${counts.refused} refused`);
    },
  );

  it('whole: the right values', async () => {
    for (const sample of [...RAW, ...NPY, ...PARQUET, ...ARROW]) {
      const outcome = await outcomeOf(sample.bytes, sample.how, sample.column);
      if (outcome === 'too slow' || 'message' in outcome) throw new Error(JSON.stringify(outcome));
      assertSameBits(sample.name, outcome.keys, sample.keys);
      expect(sample.content.includes(1), sample.name).toBe(true);
    }
  });
});
