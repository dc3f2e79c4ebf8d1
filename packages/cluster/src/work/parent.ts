/**
 * The work of a parent: it adds the children of each stage in turn and waits for them, then writes
 * the sorted parts one after the other, as the output.
 */

import { BLOCK_BYTES, carve, later, roomOf, writeJson } from '@keysweep/external/internal';
import {
  type Storage,
  type StoredStream,
  temporaryIn,
  writeWhole,
} from '@keysweep/external/storage';
import type { Job } from 'bullmq';
import { checkResult, checkTogether } from '../jobs/check-result.js';
import {
  BACKOFF,
  type ChildData,
  type ChildResult,
  childId,
  childrenOf,
  KEPT,
  type ParentData,
  type ParentResult,
  type Shuffle,
  type SortSpec,
  type Stage,
} from '../jobs/jobs.js';
import { objectIn } from '../jobs/names.js';
import { Refused } from '../jobs/refused.js';
import type { Store } from '../store/store.js';
import type { Tools } from './stages.js';
import { wantedSpec } from './wanted.js';

/** Bytes that are copied at a time into the output. */
const PIECE = 8 << 20;

/**
 * Carries the sort on as far as it can be. Called again when children are done, or after a failure:
 * what was added or done before is not added or done again.
 * @throws WaitingChildrenError: the store starts the job again when its children are done
 */
export async function runParent(
  store: Store,
  job: Job<ParentData>,
  token: string,
  worker: string,
  { storage, signal }: Pick<Tools, 'storage' | 'signal'>,
): Promise<ParentResult> {
  const id = job.id as string;
  const spec = await wantedSpec(store, id);
  const parent: Parent = { store, job, id, token, spec };
  const sample = await runChildren(parent, 'sample', () => undefined);
  const partition = await runChildren(parent, 'partition', () => sample[0]?.path);
  const sort = await runChildren(parent, 'sort', () => writeShuffle(storage, spec, partition));
  const started = Date.now();
  await writeOutput(storage, spec, sort, signal, () => wantedSpec(store, id));
  const write = { worker, milliseconds: Date.now() - started };
  return reportOf(spec, { sample, partition, sort }, write);
}

/** A parent's job, and the sort that it is for. */
interface Parent {
  readonly store: Store;
  readonly job: Job<ParentData>;
  readonly id: string;
  readonly token: string;
  readonly spec: SortSpec;
}

/** Adds up what the children say, and the output that `write.worker` has written. */
function reportOf(
  { size, parts }: SortSpec,
  { sample, partition, sort }: Readonly<Record<Stage, readonly ChildResult[]>>,
  write: { readonly worker: string; readonly milliseconds: number },
): ParentResult {
  const output = { worker: write.worker, retries: 0, read: size, written: size };
  const all = [...sample, ...partition, ...sort, output];
  const sum = (of: (one: (typeof all)[number]) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  const workers = new Map<string, number>();
  for (const one of all) workers.set(one.worker, (workers.get(one.worker) ?? 0) + 1);
  const largest = Math.max(...sort.map(({ sizes }) => sizes[0] as number));
  return {
    bytes: size,
    parts,
    pieces: partition.length,
    imbalance: size === 0 ? 1 : (largest * parts) / size,
    bytesRead: sum(({ read }) => read),
    bytesWritten: sum(({ written }) => written),
    retries: sum(({ retries }) => retries),
    workers: Object.fromEntries(workers),
    milliseconds: {
      sample: duration(sample),
      partition: duration(partition),
      sort: duration(sort),
      write: write.milliseconds,
    },
  };
}

/** Milliseconds from the start of the first job to the end of the last. */
const duration = (results: readonly ChildResult[]): number =>
  results.length === 0
    ? 0
    : Math.max(...results.map(({ ended }) => ended)) -
      Math.min(...results.map(({ started }) => started));

/** Says what the children of a stage are given, when they are added. */
type From = () => ChildData['from'] | Promise<ChildData['from']>;

/** The results of a stage's children. @throws WaitingChildrenError while one is not done */
async function runChildren(
  parent: Parent,
  stage: Stage,
  from: From,
): Promise<readonly ChildResult[]> {
  const { store, job, id, token, spec } = parent;
  const ids = Array.from({ length: childrenOf(spec)[stage] }, (_, index) =>
    childId(id, stage, index),
  );
  const found = await resultsOf(job, spec, stage, ids);
  const missing = ids.flatMap((jobId, index) =>
    found[index] === undefined ? [{ jobId, index }] : [],
  );
  if (missing.length === 0) return checkTogether(stage, found as ChildResult[], spec);
  await addChildren(parent, stage, missing, await from());
  if (await job.moveToWaitingChildren(token)) throw new store.errors.WaitingChildrenError();
  return checkTogether(stage, await resultsOf(job, spec, stage, ids), spec);
}

/** Adds children of a stage, each of which is given `from`. */
async function addChildren(
  { store, job, id, spec }: Parent,
  stage: Stage,
  children: readonly { readonly jobId: string; readonly index: number }[],
  from: ChildData['from'],
): Promise<void> {
  await store.queue.addBulk(
    children.map(({ jobId, index }) => ({
      name: stage,
      data: { parent: id, index, from } satisfies ChildData,
      opts: {
        jobId,
        attempts: spec.attempts,
        backoff: BACKOFF,
        failParentOnFailure: true,
        removeOnComplete: { age: KEPT },
        removeOnFail: { age: KEPT },
        parent: { id, queue: job.queueQualifiedName },
      },
    })),
  );
}

/** The results of a stage's children that there are. @throws Refused for others than they give */
async function resultsOf(
  job: Job<ParentData>,
  spec: SortSpec,
  stage: Stage,
  ids: readonly string[],
): Promise<(ChildResult | undefined)[]> {
  // Keys of children are prefixed by the store with the name of the queue.
  const values = Object.entries(await job.getChildrenValues<unknown>());
  const byId = new Map(values.map(([key, value]) => [key.slice(key.lastIndexOf(':') + 1), value]));
  return ids.map((id, index) =>
    byId.has(id) ? checkResult(stage, index, byId.get(id), spec) : undefined,
  );
}

/** Notes where the parts are, if it is not the input. Resolves to the name of the note. */
async function writeShuffle(
  storage: Storage,
  spec: SortSpec,
  divided: readonly ChildResult[],
): Promise<string | undefined> {
  if (divided.length === 0) return undefined;
  const path = objectIn(spec.folder, 'shuffle');
  const shuffle: Shuffle = divided.map(({ path, sizes }) => ({ path, sizes }));
  await writeJson(storage, path, shuffle);
  return path;
}

/** Writes the sorted parts one after the other, and makes that the output when it is whole. */
async function writeOutput(
  storage: Storage,
  spec: SortSpec,
  sorted: readonly ChildResult[],
  signal: AbortSignal,
  beforeCommit: () => Promise<unknown>,
): Promise<void> {
  const target = await storage.output(spec.output);
  const temporary = temporaryIn(target.folder);
  try {
    await target.create(temporary, spec.size);
    const stream = await storage.write(temporary, 0);
    await writeWhole([stream], () => copyAll(storage, sorted, stream, signal));
    signal.throwIfAborted();
    await beforeCommit();
    await target.commit(temporary);
  } catch (error) {
    // The first error tells why.
    await storage.remove(temporary).catch(() => {});
    throw error;
  } finally {
    await target.close?.();
  }
}

/** Writes files one after the other. A piece is written while the next is read. */
async function copyAll(
  storage: Storage,
  files: readonly Pick<ChildResult, 'path' | 'sizes'>[],
  stream: StoredStream,
  signal: AbortSignal,
): Promise<void> {
  const room = PIECE + BLOCK_BYTES;
  const take = carve(roomOf(2 * room).buffer, BLOCK_BYTES);
  let [free, busy] = [take(room), take(room)];
  let writing: Promise<void> = Promise.resolve();
  let end = 0;
  try {
    for (const { path, sizes } of files) {
      const file = await storage.open(path);
      try {
        if (file.size !== sizes[0]) {
          throw new Refused(`'${path}' is refused: it has ${file.size} bytes, not ${sizes[0]}`);
        }
        for (let at = 0; at < file.size; at += PIECE) {
          signal.throwIfAborted();
          // The bytes begin as far into a block of memory as into one of the file: only then are
          // they written past the system's cache.
          const start = end % BLOCK_BYTES;
          const bytes = free.subarray(start, start + Math.min(PIECE, file.size - at));
          await file.read(bytes, at);
          await writing;
          writing = later(stream.write(bytes));
          end += bytes.length;
          [free, busy] = [busy, free];
        }
      } finally {
        await file.close();
      }
    }
    await writing;
  } finally {
    await Promise.allSettled([writing]);
  }
}
