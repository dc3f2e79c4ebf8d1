/** A sample of records, and the splitters that it gives. */

import { createHash } from 'node:crypto';
import { Random } from '@keysweep/core/random';
import { allDone } from '../all-done.js';
import { argsortColumns, BLOCK, keyColumns } from '../open/key-words.js';
import type { Run } from '../open/run.js';
import type { Source } from '../open/source.js';
import { Splitters } from './splitters.js';

/**
 * Records of a sample for each part. The size of a part then has a standard deviation of a
 * twentieth: parts over 1.25 of the mean are five of them away.
 */
const SAMPLES = 400;
/** Reads that are under way at once. */
const READS = 32;
/** The seed of each sample, so that one file has one sample in all runs. */
const SEED = 0x5a3d1e;

/** Records of a source. */
export interface Sample {
  /** Their numbers, which ascend. */
  readonly places: Float64Array;
  /** One record behind the other. */
  readonly bytes: Uint8Array;
}

/**
 * The sample for `parts` parts: one record at a random place in each of many equal stretches of the
 * input, so that sorted inputs are no special case.
 */
export async function readSample(run: Run, source: Source, parts: number): Promise<Sample> {
  const { width } = run.layout;
  const records = source.size / width;
  const count = Math.min(records, SAMPLES * parts);
  const random = new Random(SEED);
  const places = Float64Array.from({ length: count }, (_, i) => {
    const [from, to] = [Math.floor((i * records) / count), Math.floor(((i + 1) * records) / count)];
    return from + random.below(to - from);
  });
  const bytes = new Uint8Array(count * width);
  let next = 0;
  const readSome = async (): Promise<void> => {
    try {
      while (next < count) {
        const i = next++;
        const into = bytes.subarray(i * width, (i + 1) * width);
        const from = (places[i] as number) * width;
        // From the system's cache a read takes less than its promises.
        if (!source.readNow?.(into, from)) await source.read(into, from);
        if (i % BLOCK === 0) run.tell('sample', (i / count) * source.size, source.size);
      }
    } catch (error) {
      // Nobody wants the rest, and files are closed once all reads have ended.
      next = count;
      throw error;
    }
  };
  await allDone(Array.from({ length: READS }, readSome));
  return { places, bytes };
}

/** Tells a sample from a sample of other records. */
export const checksumOf = ({ bytes }: Sample): string =>
  createHash('sha256').update(bytes).digest('hex');

/** Splitters for `parts` parts of nearly the same size, from their sample. */
export async function splittersOf(
  { layout: { width }, keyWords, sorter }: Run,
  { places, bytes }: Sample,
  parts: number,
): Promise<Splitters> {
  const count = places.length;
  const columns = keyColumns(
    keyWords,
    width,
    bytes,
    new Uint8Array(8 * Math.ceil((count * keyWords.count) / 2)),
  );
  // Places ascend and the sort is stable, so equal keys are in the order of their places.
  const order = await sorter.argsort(argsortColumns(columns));
  const chosen = Array.from(
    { length: parts - 1 },
    (_, i) => order[Math.floor(((i + 1) * count) / parts)] as number,
  );
  const words = Array.from({ length: keyWords.count }, () => new Uint32Array(chosen.length));
  for (const [i, record] of chosen.entries()) {
    const own = keyWords.of(bytes.slice(record * width, (record + 1) * width));
    for (const [word, values] of own.entries()) {
      (words[word] as Uint32Array)[i] = values[0] as number;
    }
  }
  return new Splitters({
    words,
    places: Float64Array.from(chosen, (record) => places[record] as number),
  });
}

/** Splitters for `parts` parts of a source. */
export async function sampleSplitters(run: Run, source: Source, parts: number): Promise<Splitters> {
  return splittersOf(run, await readSample(run, source, parts), parts);
}
