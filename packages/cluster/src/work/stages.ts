/** The work of a child: sample, partition a piece, sort a part. Each writes one new object. */

import { ExternalError } from '@keysweep/external';
import {
  atOnce,
  BLOCK_BYTES,
  carve,
  columnBytes,
  KeyWords,
  newSplit,
  openFiles,
  planMemory,
  type Run,
  readJson,
  roomOf,
  type Source,
  SPLIT_BYTES,
  Splitters,
  sampleSplitters,
  sortPart,
  writeJson,
  writePart,
} from '@keysweep/external/internal';
import { type Storage, writeWhole } from '@keysweep/external/storage';
import type { Sorter } from 'keysweep';
import { checkPairs, checkShuffle, type StoredPairs } from '../jobs/check-result.js';
import {
  type ChildData,
  type ChildResult,
  LONGEST_NAME,
  type SortSpec,
  type Stage,
} from '../jobs/jobs.js';
import { objectIn } from '../jobs/names.js';
import { Refused } from '../jobs/refused.js';

/** What a worker does a stage with. */
export interface Tools {
  readonly storage: Storage;
  readonly sorter: Pick<Sorter, 'sort' | 'argsort' | 'gather'>;
  readonly signal: AbortSignal;
}

/** What a stage wrote, and how much it read and wrote. */
export type Written = Pick<ChildResult, 'path' | 'sizes' | 'read' | 'written'>;

/** The input is not what it was. No attempt helps. */
export class ChangedInput extends ExternalError {}

/** Bytes of a piece or of a part that are read, classified or moved at a time. */
const STEP = 8 << 20;
/** Bytes of the largest object with splitters or places that is accepted: it is read at once. */
const MAX_INDEX_BYTES = 2 ** 26;
/** Characters of a number in such an object, and of a name with all that is around it. */
const NUMBER_CHARACTERS = 17;
const NAME_CHARACTERS = 6 * LONGEST_NAME;
/**
 * Parts of more than this many times the mean size are refused: by chance they hardly ever have
 * more than 1.25 times the mean.
 */
const MAX_TIMES_MEAN = 2;
/** Reads that are under way at once. */
const READS = 8;

/** Carries out a child's stage. What it has written is removed where it fails. */
export async function runStage(
  stage: Stage,
  spec: SortSpec,
  { index, from }: Pick<ChildData, 'index' | 'from'>,
  tools: Tools,
): Promise<Written> {
  const run = newRun(spec, tools);
  const path = objectIn(spec.folder, `${stage}-${index}`);
  try {
    const sizes = await STAGES[stage](run, spec, index, path, from as string);
    return { path, sizes, ...run.count };
  } catch (error) {
    // Whether the job may be tried again depends on the first error.
    await tools.storage.remove(path).catch(() => {});
    throw error;
  }
}

type Work = (
  run: Run,
  spec: SortSpec,
  index: number,
  path: string,
  from: string,
) => Promise<readonly number[]>;

const STAGES: Readonly<Record<Stage, Work>> = { sample, partition, sort };

function newRun({ layout }: SortSpec, { storage, sorter, signal }: Tools): Run {
  return {
    storage,
    sorter,
    layout,
    unique: false,
    signal,
    keyWords: new KeyWords(layout),
    count: { read: 0, written: 0 },
    milliseconds: { spool: 0, sample: 0, partition: 0, sort: 0 },
    tell: () => signal.throwIfAborted(),
  };
}

/** Draws a sample of the input, and writes the splitters that it gives. */
async function sample(run: Run, spec: SortSpec, _: number, path: string): Promise<number[]> {
  const source = await openInput(run, spec);
  try {
    const { words, places } = (await sampleSplitters(run, source, spec.parts)).pairs;
    const stored: StoredPairs = { words: words.map((word) => [...word]), places: [...places] };
    await writeJson(run.storage, path, stored);
    return [];
  } finally {
    await source.close();
  }
}

/** Writes the records of a piece of the input part by part, each in their order. */
async function partition(
  run: Run,
  spec: SortSpec,
  index: number,
  path: string,
  from: string,
): Promise<readonly number[]> {
  const { width } = run.layout;
  const most = NUMBER_CHARACTERS * (run.keyWords.count + 1) * spec.parts;
  const stored = await readNote(run.storage, from, most);
  const splitters = new Splitters(checkPairs(stored, spec, run.keyWords.count));
  const first = index * spec.pieceRecords;
  const records = Math.min(spec.pieceRecords, spec.size / width - first);
  const size = records * width;
  const room = roomOf(2 * size + records + SPLIT_BYTES + 4 * BLOCK_BYTES);
  const take = carve(room.buffer, BLOCK_BYTES);
  const [piece, parts, ids] = [take(size), take(size), take(records)];
  const source = await openInput(run, spec);
  await source.read(piece, first * width).finally(() => source.close());
  run.tell('partition', 0);
  const split = newSplit(run, splitters, room, ids, take(SPLIT_BYTES));
  const sizes = Array.from(split.classify(piece, first), (count) => count * width);
  split.scatter(
    piece,
    0,
    records,
    parts,
    Uint32Array.from(sizes, (_, part) => bytesBefore(sizes, part)),
  );
  await writeObject(run, path, (write) => write(parts));
  run.count.written += parts.length;
  return sizes;
}

/** Reads a part's records, sorts them, and writes them. */
async function sort(
  run: Run,
  spec: SortSpec,
  index: number,
  path: string,
  from: string | undefined,
): Promise<readonly number[]> {
  const part =
    from === undefined ? inputAsPart(run, spec) : await partOfObjects(run, spec, from, index);
  const { size } = part;
  const { width } = run.layout;
  const memoryPlan = planMemory(spec.memory, size, run.layout, run.keyWords.count, 0);
  const columnsBytes =
    run.layout.numbers === undefined ? (size / width) * columnBytes(run.keyWords.count) : 0;
  const pieceBytes = memoryPlan.pieceBytes + BLOCK_BYTES;
  const take = carve(
    roomOf(size + columnsBytes + 2 * pieceBytes + 4 * BLOCK_BYTES).buffer,
    BLOCK_BYTES,
  );
  const [records, columns] = [take(size), take(columnsBytes)];
  const pieces = [take(pieceBytes), take(pieceBytes)] as const;
  await part.readInto(records);
  run.tell('sort', 0);
  const sorted = await sortPart(run, records, columns, undefined);
  await writeObject(run, path, (write) =>
    writePart(run, sorted, 0, { sink: { write }, memoryPlan, pieces }),
  );
  return [size];
}

/** The records of a part, wherever they are. */
interface Part {
  /** Bytes. */
  readonly size: number;
  readInto(bytes: Uint8Array): Promise<void>;
}

/** The only part of a sort that is not partitioned: the whole input. */
const inputAsPart = (run: Run, spec: SortSpec): Part => ({
  size: spec.size,
  async readInto(bytes) {
    const source = await openInput(run, spec);
    await source.read(bytes, 0).finally(() => source.close());
  },
});

/** A part whose ranges of objects are noted in the object `shuffle`. */
async function partOfObjects(
  run: Run,
  spec: SortSpec,
  shuffle: string,
  part: number,
): Promise<Part> {
  const ranges = await rangesOf(run, spec, shuffle, part);
  const size = ranges.reduce((sum, range) => sum + range.size, 0);
  if (size > (MAX_TIMES_MEAN * spec.size) / spec.parts) {
    throw new Refused(`part ${part} is refused: splitters never give it ${size} bytes`);
  }
  return { size, readInto: (bytes) => readRanges(run, ranges, bytes) };
}

/** Where a part begins in an object. */
const bytesBefore = (sizes: readonly number[], part: number): number =>
  sizes.slice(0, part).reduce((sum, size) => sum + size, 0);

/** Where a part's records are: one range of each object. */
interface Range {
  readonly path: string;
  readonly from: number;
  readonly size: number;
}

async function rangesOf(
  { storage }: Run,
  spec: SortSpec,
  shuffle: string,
  part: number,
): Promise<readonly Range[]> {
  const most = spec.pieces * (NUMBER_CHARACTERS * spec.parts + NAME_CHARACTERS);
  const objects = checkShuffle(await readNote(storage, shuffle, most), spec);
  return objects.map(({ path, sizes }) => ({
    path,
    from: bytesBefore(sizes, part),
    size: sizes[part] as number,
  }));
}

/**
 * A small object that another job wrote. It has no more bytes than that sort asks for, because JSON
 * of 64 MB may take gigabytes and a minute.
 */
async function readNote(storage: Storage, path: string, expected: number): Promise<unknown> {
  const file = await storage.open(path);
  const { size } = file;
  await file.close();
  const most = Math.min(NAME_CHARACTERS + expected, MAX_INDEX_BYTES);
  if (size <= most) return readJson(storage, path);
  throw new Refused(`'${path}' is refused: it has ${size} bytes, and at most ${most} are read`);
}

/** Fills `into` with the ranges, one after the other. */
async function readRanges(run: Run, ranges: readonly Range[], into: Uint8Array): Promise<void> {
  let at = 0;
  const waiting = ranges.map((range) => {
    const bytes = into.subarray(at, at + range.size);
    at += range.size;
    return { ...range, bytes };
  });
  await atOnce(READS, waiting, async ({ path, from, bytes }) => {
    run.tell('sort', 0);
    if (bytes.length === 0) return;
    const file = await run.storage.open(path);
    await file.read(bytes, from).finally(() => file.close());
    run.count.read += bytes.length;
  });
}

/** Makes the file `path` of what `make` writes. */
async function writeObject(
  run: Run,
  path: string,
  make: (write: (bytes: Uint8Array) => Promise<void>) => Promise<unknown>,
): Promise<void> {
  const file = await run.storage.write(path);
  const write = async (bytes: Uint8Array): Promise<void> => {
    for (let at = 0; at < bytes.length; at += STEP) {
      run.signal?.throwIfAborted();
      await file.write(bytes.subarray(at, at + STEP));
    }
  };
  await writeWhole([file], () => make(write));
}

/** @throws ChangedInput where it is not the input that was submitted */
async function openInput(run: Run, { input, versions, size }: SortSpec): Promise<Source> {
  const source = await openFiles(run, input);
  const changed = input.findIndex((_, i) => source.versions[i] !== versions[i]);
  if (changed === -1 && source.size === size) return source;
  await source.close();
  throw new ChangedInput(`'${input[Math.max(changed, 0)]}' was changed while it was sorted`);
}
