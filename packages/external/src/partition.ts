/** Divides a source into files of parts, by one read and one write of it. */

import { allDone } from './all-done.js';
import { carve, type Division, partsOf, type Room } from './memory.js';
import { later, type Run, timed } from './run.js';
import { sampleSplitters } from './sample.js';
import { openFiles, type Source } from './source.js';
import { isForKernels, SPLIT_BYTES, splitNumbers } from './split-numbers.js';
import { type Split, splitRecords } from './split-records.js';
import type { Splitters } from './splitters.js';
import { nameIn } from './storage/address.js';
import { BLOCK_BYTES } from './storage/block-file.js';
import { type StoredStream, writeWhole } from './storage/storage.js';

/** Records that belong together, in files one behind the other. */
export interface Part {
  readonly paths: readonly string[];
  readonly size: number;
}

/** The parts of a source in order, each of which fits into memory. */
export interface Parts {
  readonly parts: readonly Part[];
  /** How often a byte was partitioned at most. */
  readonly levels: number;
  /** Bytes of the largest part over the mean of its partition. */
  readonly imbalance: number;
}

/** Divides a source into files of parts, whose names begin with `folder`. */
export type Divide = (source: Source, splitters: Splitters, folder: string) => Promise<Part[]>;

/** Partitions `source` into files in `folder` by `divide`, and overfull parts again. */
export async function partitionSource(
  run: Run,
  source: Source,
  division: Division,
  divide: Divide,
  folder: string,
): Promise<Parts> {
  const count = partsOf(source.size, division);
  const splitters = await timed(run, 'sample', () => sampleSplitters(run, source, count));
  const divided = await timed(run, 'partition', () => divide(source, splitters, folder));
  const largest = Math.max(...divided.map(({ size }) => size));
  let imbalance = (largest * count) / source.size;
  let levels = 1;
  const parts: Part[] = [];
  for (const part of divided) {
    if (part.size <= division.partBytes) {
      parts.push(part);
      continue;
    }
    const own = await openFiles(run, part.paths);
    try {
      const within = await partitionSource(run, own, division, divide, `${part.paths[0]}-`);
      parts.push(...within.parts);
      levels = Math.max(levels, 1 + within.levels);
      imbalance = Math.max(imbalance, within.imbalance);
    } finally {
      await own.close();
    }
    await allDone(part.paths.map((path) => run.storage.remove(path)));
  }
  return { parts, levels, imbalance };
}

/** Divides a stretch of a source, by default all of it. */
export async function writeParts(
  run: Run,
  source: Source,
  splitters: Splitters,
  { chunkBytes, outputBytes, alignment }: Division,
  room: Room,
  folder: string,
  { from: start, end }: { from: number; end: number } = { from: 0, end: source.size },
): Promise<Part[]> {
  const { width } = run.layout;
  const take = carve(room.buffer, alignment);
  const inputs = [take(chunkBytes), take(chunkBytes)] as const;
  const outputs = [take(outputBytes), take(outputBytes)] as const;
  const split = newSplit(run, splitters, room, take(chunkBytes / width), take(SPLIT_BYTES));
  // A part's records of a chunk begin at a block, if there is room for the gaps.
  const gaps = splitters.parts * 2 * alignment;
  const unit = alignment === BLOCK_BYTES && gaps <= outputBytes - chunkBytes ? BLOCK_BYTES : 1;
  const regions = new Regions(splitters.parts, unit, width);
  const files: StoredStream[] = [];
  const pathOf = (part: number): string => nameIn(folder, `${part}`);
  let reading: Promise<Uint8Array> = Promise.resolve(inputs[0]);
  let writing: Promise<void> = Promise.resolve();
  const read = (from: number, into: Uint8Array): Promise<Uint8Array> => {
    const bytes = into.subarray(0, Math.min(chunkBytes, end - from));
    return later(source.read(bytes, from).then(() => bytes));
  };
  const divide = async (): Promise<void> => {
    await run.storage.makeFolder(folder);
    for (let i = 0; i < splitters.parts; i++) files.push(await run.storage.write(pathOf(i)));
    reading = read(start, inputs[0]);
    for (let from = start, turn = 0; from < end; from += chunkBytes, turn = 1 - turn) {
      const chunk = await reading;
      const next = from + chunkBytes;
      const isLast = next >= end;
      if (!isLast) reading = read(next, inputs[1 - turn] as Uint8Array);
      const counts = split.classify(chunk, from / width);
      const output = outputs[turn] as Uint8Array;
      split.scatter(chunk, output, regions.layOut(counts, output));
      // The output of the chunk before this one is written while this one is put in order.
      await writing;
      writing = later(writeAll(files, regions.take(isLast)));
      run.count.written += chunk.length;
      run.tell('partition', from - start + chunk.length, end - start);
    }
    await writing;
  };
  await writeWhole(files, () => divide().finally(() => Promise.allSettled([reading, writing])));
  return Array.from(regions.sizes, (size, part) => ({ paths: [pathOf(part)], size }));
}

/** By kernels where there are some for the records. */
function newSplit(
  run: Run,
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
  /** Bytes of each part so far. */
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
   * Divides `output` among parts of `counts` records, behind what is carried, which is moved there.
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
