/** Divides a source into files of parts, by one read and one write of it. */

import { allDone } from './all-done.js';
import { BLOCK } from './key-words.js';
import { inUnits } from './layout.js';
import { carve, type Division, partsOf } from './memory.js';
import { later, type Run, timed } from './run.js';
import { sampleSplitters } from './sample.js';
import { openFiles, type Source } from './source.js';
import type { Splitters } from './splitters.js';
import { nameIn } from './storage/address.js';
import { type StoredStream, writeWhole } from './storage/storage.js';

/** A file of records that belong together. */
export interface Part {
  readonly path: string;
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

/** Partitions `source` into files in `folder`, and overfull parts again. */
export async function partitionSource(
  run: Run,
  source: Source,
  division: Division,
  buffer: ArrayBuffer,
  folder: string,
): Promise<Parts> {
  const count = partsOf(source.size, division);
  const splitters = await timed(run, 'sample', () => sampleSplitters(run, source, count));
  const divided = await timed(run, 'partition', () =>
    writeParts(run, source, splitters, division, buffer, folder),
  );
  const largest = Math.max(...divided.map(({ size }) => size));
  let imbalance = (largest * count) / source.size;
  let levels = 1;
  const parts: Part[] = [];
  for (const part of divided) {
    if (part.size <= division.partBytes) {
      parts.push(part);
      continue;
    }
    const own = await openFiles(run, [part.path]);
    try {
      const within = await partitionSource(run, own, division, buffer, `${part.path}-`);
      parts.push(...within.parts);
      levels = Math.max(levels, 1 + within.levels);
      imbalance = Math.max(imbalance, within.imbalance);
    } finally {
      await own.close();
    }
    await run.storage.remove(part.path);
  }
  return { parts, levels, imbalance };
}

async function writeParts(
  run: Run,
  source: Source,
  splitters: Splitters,
  { chunkBytes }: Division,
  buffer: ArrayBuffer,
  folder: string,
): Promise<Part[]> {
  const { width } = run.layout;
  const take = carve(buffer);
  const inputs = [take(chunkBytes), take(chunkBytes)] as const;
  const outputs = [take(chunkBytes), take(chunkBytes)] as const;
  const ids = take(chunkBytes / width);
  const files: StoredStream[] = [];
  const sizes = new Float64Array(splitters.parts);
  const pathOf = (part: number): string => nameIn(folder, `${part}`);
  let reading: Promise<Uint8Array> = Promise.resolve(inputs[0]);
  let writing: Promise<void> = Promise.resolve();
  const read = (from: number, into: Uint8Array): Promise<Uint8Array> => {
    const bytes = into.subarray(0, Math.min(chunkBytes, source.size - from));
    return later(source.read(bytes, from).then(() => bytes));
  };
  const divide = async (): Promise<void> => {
    await run.storage.makeFolder(folder);
    for (let i = 0; i < splitters.parts; i++) files.push(await run.storage.write(pathOf(i)));
    reading = read(0, inputs[0]);
    for (let from = 0, turn = 0; from < source.size; from += chunkBytes, turn = 1 - turn) {
      const chunk = await reading;
      const next = from + chunkBytes;
      if (next < source.size) reading = read(next, inputs[1 - turn] as Uint8Array);
      const counts = classify(run, splitters, chunk, from / width, ids);
      const output = outputs[turn] as Uint8Array;
      scatter(chunk, output, width, ids, startsOf(counts));
      // The output of the chunk before this one is written while this one is put in order.
      await writing;
      writing = later(writeChunk(files, output, counts, width));
      for (const [part, count] of counts.entries()) (sizes[part] as number) += count * width;
      run.count.written += chunk.length;
      run.tell('partition', from + chunk.length, source.size);
    }
    await writing;
  };
  await writeWhole(files, () => divide().finally(() => Promise.allSettled([reading, writing])));
  return Array.from(sizes, (size, part) => ({ path: pathOf(part), size }));
}

/** Writes the part of each record of a chunk to `ids`. Returns how many records each part has. */
function classify(
  { layout: { width }, keyWords }: Run,
  splitters: Splitters,
  chunk: Uint8Array,
  place: number,
  ids: Uint8Array,
): Uint32Array {
  const counts = new Uint32Array(splitters.parts);
  const records = chunk.length / width;
  for (let first = 0; first < records; first += BLOCK) {
    const last = Math.min(first + BLOCK, records);
    const words = keyWords.of(chunk.subarray(first * width, last * width));
    splitters.classify(words, place + first, ids, first, counts);
  }
  return counts;
}

/** Where the records of each part begin, if they lie one part behind the other. */
function startsOf(counts: Uint32Array): Uint32Array {
  let start = 0;
  return counts.map((count) => {
    start += count;
    return start - count;
  });
}

/** Moves the records of `from` to `to`, part by part, each in its order. `starts` is changed. */
function scatter(
  from: Uint8Array,
  to: Uint8Array,
  width: number,
  ids: Uint8Array,
  starts: Uint32Array,
): void {
  const source = inUnits(from, width);
  const target = inUnits(to, width);
  const units = (source.length * width) / from.length;
  if (units === 1) scatterOnes(source, target, ids, starts);
  else if (units === 2) scatterTwos(source, target, ids, starts);
  else scatterMany(source, target, units, ids, starts);
}

type Units = Uint8Array | Uint16Array | Uint32Array;

function scatterOnes(source: Units, target: Units, ids: Uint8Array, starts: Uint32Array): void {
  for (let i = 0; i < source.length; i++) {
    const part = ids[i] as number;
    const at = starts[part] as number;
    starts[part] = at + 1;
    target[at] = source[i] as number;
  }
}

function scatterTwos(source: Units, target: Units, ids: Uint8Array, starts: Uint32Array): void {
  for (let i = 0; i < source.length; i += 2) {
    const part = ids[i >>> 1] as number;
    const at = starts[part] as number;
    starts[part] = at + 1;
    target[2 * at] = source[i] as number;
    target[2 * at + 1] = source[i + 1] as number;
  }
}

function scatterMany(
  source: Units,
  target: Units,
  units: number,
  ids: Uint8Array,
  starts: Uint32Array,
): void {
  for (let record = 0, from = 0; from < source.length; record++) {
    const part = ids[record] as number;
    const at = starts[part] as number;
    starts[part] = at + 1;
    let to = at * units;
    for (const end = from + units; from < end; ) target[to++] = source[from++] as number;
  }
}

/** Writes the records of each part to its file. */
async function writeChunk(
  files: readonly StoredStream[],
  bytes: Uint8Array,
  counts: Uint32Array,
  width: number,
): Promise<void> {
  const writes: Promise<void>[] = [];
  let from = 0;
  for (const [part, count] of counts.entries()) {
    const to = from + count * width;
    if (count > 0) writes.push((files[part] as StoredStream).write(bytes.subarray(from, to)));
    from = to;
  }
  // All of them have to end before the bytes are changed.
  await allDone(writes);
}
