/**
 * Divides a source into parts, by one read of it. Blocks that lie in one part already stay where
 * they are: an input that is in order, or has few keys, is hardly written. All other records are
 * written to files of parts.
 */

import { allDone } from '../all-done.js';
import type { Layout } from '../open/layout.js';
import { later, type Run, timed } from '../open/run.js';
import type { Source } from '../open/source.js';
import { BLOCK_BYTES } from '../storage/block-file.js';
import { partIn, partsOfPart } from '../storage/names.js';
import { type StoredStream, writeWhole } from '../storage/storage.js';
import { carve, type MemoryPlan, partsOf, type Room } from './memory-plan.js';
import { openPart, type Part, Stays } from './part.js';
import { checksumOf, readSample, splittersOf } from './sample.js';
import { isForKernels, SPLIT_BYTES, splitNumbers } from './split-numbers.js';
import { type Split, splitRecords } from './split-records.js';
import type { Splitters } from './splitters.js';

/** How many blocks of a chunk may stay, if they are not too short. */
const BLOCKS = 64;
/** Bytes of a block that stays at least: it is read on its own. */
const LEAST_STAY = 8192;

/** The parts of a source in order, each of which fits into memory. */
export interface Parts {
  readonly parts: readonly Part[];
  /** How often a byte was partitioned at most. */
  readonly levels: number;
  /** Bytes of the largest part over the mean of its partition. */
  readonly imbalance: number;
  /** The sample that the source was divided by: for how many parts, and its checksum. */
  readonly sample: { readonly parts: number; readonly checksum: string };
}

/** A stretch of a source, which is divided on its own. */
export interface Stretch {
  /** The first byte, and the one behind the last. */
  readonly from: number;
  readonly end: number;
  /** Whether blocks may stay in the source: it is there when parts are read. */
  readonly mayStay: boolean;
}

/** Divides a stretch into at most `count` ones of as many records, but for one. */
export function stretchesOf(
  { from, end, mayStay }: Stretch,
  count: number,
  { width }: Layout,
): Stretch[] {
  const records = (end - from) / width;
  const stretches = Math.max(1, Math.min(records, count));
  const boundOf = (i: number): number => from + Math.floor((i * records) / stretches) * width;
  return Array.from({ length: stretches }, (_, i) => ({
    from: boundOf(i),
    end: boundOf(i + 1),
    mayStay,
  }));
}

/** Divides a source into files of parts, whose names begin with `folder`. */
export type Divide = (
  source: Source,
  splitters: Splitters,
  folder: string,
  mayStay: boolean,
) => Promise<Part[]>;

/** Partitions `source` by `divide`, and overfull parts again: files in `folder`. */
export async function partitionSource(
  run: Run,
  source: Source,
  memoryPlan: MemoryPlan,
  divide: Divide,
  folder: string,
  mayStay = true,
): Promise<Parts> {
  const count = partsOf(source.size, memoryPlan);
  const sample = await timed(run, 'sample', () => readSample(run, source, count));
  const splitters = await timed(run, 'sample', () => splittersOf(run, sample, count));
  const divided = await timed(run, 'partition', () => divide(source, splitters, folder, mayStay));
  const largest = Math.max(...divided.map(({ size }) => size));
  let imbalance = (largest * count) / source.size;
  let levels = 1;
  const parts: Part[] = [];
  for (const [i, part] of divided.entries()) {
    if (part.size <= memoryPlan.partBytes) {
      parts.push(part);
      continue;
    }
    const own = await openPart(run, part, source);
    try {
      // Nothing stays in a part, which is removed.
      const inside = partsOfPart(folder, i);
      const within = await partitionSource(run, own, memoryPlan, divide, inside, false);
      parts.push(...within.parts);
      levels = Math.max(levels, 1 + within.levels);
      imbalance = Math.max(imbalance, within.imbalance);
    } finally {
      await own.close();
    }
    await allDone(part.paths.map((path) => run.storage.remove(path)));
  }
  return { parts, levels, imbalance, sample: { parts: count, checksum: checksumOf(sample) } };
}

/** What those who divide a stretch need of a run. */
export type DividingRun = Pick<Run, 'storage' | 'layout' | 'keyWords' | 'count' | 'tell'>;

/** What a stretch is divided in. */
interface Dividing {
  readonly memoryPlan: MemoryPlan;
  readonly room: Room;
  /** The folder of the parts. */
  readonly folder: string;
  readonly stretch: Stretch;
}

/** Divides a stretch of a source. */
export async function writeParts(
  run: DividingRun,
  source: Source,
  splitters: Splitters,
  { memoryPlan, room, folder, stretch }: Dividing,
): Promise<Part[]> {
  const { chunkBytes, outputBytes, alignment } = memoryPlan;
  const { from: start, end, mayStay } = stretch;
  const { width } = run.layout;
  const blockRecords = Math.ceil(Math.max(chunkBytes / BLOCKS, LEAST_STAY) / width);
  const take = carve(room.buffer, alignment);
  const inputs = [take(chunkBytes), take(chunkBytes)] as const;
  const outputs = [take(outputBytes), take(outputBytes)] as const;
  const ids = take(chunkBytes / width);
  const split = newSplit(run, splitters, room, ids, take(SPLIT_BYTES));
  // A part's records of a chunk begin at a block, if there is room for the gaps.
  const gaps = splitters.parts * 2 * alignment;
  const unit = alignment === BLOCK_BYTES && gaps <= outputBytes - chunkBytes ? BLOCK_BYTES : 1;
  const regions = new Regions(splitters.parts, unit, width);
  const stays = new Stays(splitters.parts);
  const files: StoredStream[] = [];
  const pathOf = (part: number): string => partIn(folder, part);
  let reading: Promise<Uint8Array> = Promise.resolve(inputs[0]);
  let writing: Promise<void> = Promise.resolve();
  const read = (from: number, into: Uint8Array): Promise<Uint8Array> => {
    const bytes = into.subarray(0, Math.min(chunkBytes, end - from));
    return later(source.read(bytes, from).then(() => bytes));
  };
  /** Puts a chunk in the order of its parts, but for blocks that stay. Returns how many do. */
  const put = (chunk: Uint8Array, from: number, output: Uint8Array): number => {
    const counts = split.classify(chunk, from / width);
    const records = chunk.length / width;
    const blocks = mayStay ? blocksOfOnePart(ids.subarray(0, records), blockRecords) : [];
    for (const { part } of blocks) counts[part] = (counts[part] as number) - blockRecords;
    const starts = regions.layOut(counts, output);
    let done = 0;
    for (const { first, part } of blocks) {
      split.scatter(chunk, done, first, output, starts);
      const behind = regions.filed(part, starts[part] as number, output);
      stays.add(part, { behind, from: from + first * width, size: blockRecords * width });
      done = first + blockRecords;
    }
    split.scatter(chunk, done, records, output, starts);
    return blocks.length;
  };
  const divide = async (): Promise<void> => {
    reading = read(start, inputs[0]);
    await run.storage.makeFolder(folder);
    for (let i = 0; i < splitters.parts; i++) files.push(await run.storage.write(pathOf(i)));
    for (let from = start, turn = 0; from < end; from += chunkBytes, turn = 1 - turn) {
      const chunk = await reading;
      const next = from + chunkBytes;
      const isLast = next >= end;
      if (!isLast) reading = read(next, inputs[1 - turn] as Uint8Array);
      const output = outputs[turn] as Uint8Array;
      const blocks = put(chunk, from, output);
      // The output of the chunk before this one is written while this one is put in order.
      await writing;
      writing = later(writeAll(files, regions.take(isLast)));
      run.count.written += chunk.length - blocks * blockRecords * width;
      run.tell('partition', from - start + chunk.length, end - start);
    }
    await writing;
  };
  await writeWhole(files, () => divide().finally(() => Promise.allSettled([reading, writing])));
  return Array.from(regions.sizes, (filed, part) => stays.partOf(part, pathOf(part), filed));
}

/** The blocks of `length` records that lie in one part each: `ids` has the part of each record. */
function blocksOfOnePart(ids: Uint8Array, length: number): { first: number; part: number }[] {
  const blocks: { first: number; part: number }[] = [];
  for (let first = 0; first + length <= ids.length; first += length) {
    const end = first + length;
    const part = ids[first] as number;
    // All are equal where each is what the one behind it is.
    if (ids[end - 1] !== part) continue;
    const shifted = Buffer.compare(ids.subarray(first, end - 1), ids.subarray(first + 1, end));
    if (shifted === 0) blocks.push({ first, part });
  }
  return blocks;
}

/** By kernels where there are some for the records. All bytes lie in the room. */
export function newSplit(
  run: Pick<Run, 'layout' | 'keyWords'>,
  splitters: Splitters,
  { memory }: Room,
  ids: Uint8Array,
  tables: Uint8Array,
): Split {
  return memory !== undefined && isForKernels(run.layout)
    ? splitNumbers(run.layout, splitters, memory, ids, tables)
    : splitRecords(run, splitters, ids);
}

/**
 * Where the parts of a chunk lie in its output. A part is written in whole units: the rest of its
 * records is carried to the output of the next chunk.
 */
class Regions {
  /** Bytes of the file of each part so far. */
  readonly sizes: Float64Array;
  readonly #unit: number;
  readonly #width: number;
  #regions: Uint8Array[];

  constructor(parts: number, unit: number, width: number) {
    this.sizes = new Float64Array(parts);
    this.#unit = unit;
    this.#width = width;
    this.#regions = Array.from({ length: parts }, () => new Uint8Array(0));
  }

  /**
   * Divides `output` among parts of `counts` records, after the carried bytes, which move there.
   * Returns where the new records of each part begin.
   */
  layOut(counts: Uint32Array, output: Uint8Array): Uint32Array {
    const unit = this.#unit;
    let at = 0;
    return counts.map((count, part) => {
      const carried = this.#regions[part] as Uint8Array;
      const from = Math.ceil(at / unit) * unit;
      const start = from + carried.length;
      at = start + count * this.#width;
      output.set(carried, from);
      this.#regions[part] = output.subarray(from, at);
      (this.sizes[part] as number) += count * this.#width;
      return start;
    });
  }

  /** Bytes of a part's file in front of byte `start` of `output`, which was laid out last. */
  filed(part: number, start: number, output: Uint8Array): number {
    const { byteOffset, length } = this.#regions[part] as Uint8Array;
    return (this.sizes[part] as number) - (byteOffset - output.byteOffset + length - start);
  }

  /** What of each part is to be written: whole units, or with the last chunk all. */
  take(isLast: boolean): Uint8Array[] {
    return this.#regions.map((region, part) => {
      const end = isLast ? region.length : region.length - (region.length % this.#unit);
      this.#regions[part] = region.subarray(end);
      return region.subarray(0, end);
    });
  }
}

/** Writes bytes of each part to its file. */
async function writeAll(
  files: readonly StoredStream[],
  regions: readonly Uint8Array[],
): Promise<void> {
  // All of them have to end before the bytes are changed.
  await allDone(
    regions.map(async (region, part) => {
      if (region.length > 0) await (files[part] as StoredStream).write(region);
    }),
  );
}
