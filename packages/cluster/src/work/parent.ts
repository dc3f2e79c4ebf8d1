/** The parent's work: the children of each stage in turn, then the output of the winners. */

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
import { assertWanted } from '../jobs/wanted.js';
import type { Store } from '../store/store.js';
import type { Tools } from './stages.js';

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
  const spec = await assertWanted(store, job.id as string);
  const stage = (name: Stage, from: From) => runChildren(store, job, spec, token, name, from);
  const sampled = await stage('sample', () => undefined);
  const divided = await stage('partition', () => sampled[0]?.path);
  const sorted = await stage('sort', () => writeShuffle(storage, spec, divided));
  const started = Date.now();
  await writeOutput(storage, spec, sorted, signal, () => assertWanted(store, job.id as string));
  const write = { worker, retries: 0, read: spec.size, written: spec.size };
  const all = [...sampled, ...divided, ...sorted, write];
  const sum = (of: (one: (typeof all)[number]) => number): number =>
    all.reduce((total, one) => total + of(one), 0);
  const workers = new Map<string, number>();
  for (const one of all) workers.set(one.worker, (workers.get(one.worker) ?? 0) + 1);
  const largest = Math.max(...sorted.map(({ sizes }) => sizes[0] as number));
  return {
    bytes: spec.size,
    parts: spec.parts,
    pieces: divided.length,
    imbalance: spec.size === 0 ? 1 : (largest * spec.parts) / spec.size,
    bytesRead: sum(({ read }) => read),
    bytesWritten: sum(({ written }) => written),
    retries: sum(({ retries }) => retries),
    workers: Object.fromEntries(workers),
    milliseconds: {
      sample: duration(sampled),
      partition: duration(divided),
      sort: duration(sorted),
      write: Date.now() - started,
    },
  };
}

const duration = (results: readonly ChildResult[]): number =>
  results.length === 0
    ? 0
    : Math.max(...results.map(({ ended }) => ended)) -
      Math.min(...results.map(({ started }) => started));

/** Says what the children of a stage are given, when they are added. */
type From = () => ChildData['from'] | Promise<ChildData['from']>;

/** The results of a stage's children. @throws WaitingChildrenError while one is not done */
async function runChildren(
  store: Store,
  job: Job<ParentData>,
  spec: SortSpec,
  token: string,
  stage: Stage,
  from: From,
): Promise<readonly ChildResult[]> {
  const parent = job.id as string;
  const { attempts } = spec;
  const ids = Array.from({ length: childrenOf(spec)[stage] }, (_, index) =>
    childId(parent, stage, index),
  );
  const found = await resultsOf(job, spec, stage, ids);
  const missing = ids.flatMap((jobId, index) =>
    found[index] === undefined ? [{ jobId, index }] : [],
  );
  if (missing.length === 0) return checkTogether(stage, found as ChildResult[], spec);
  const given = await from();
  await store.queue.addBulk(
    missing.map(({ jobId, index }) => {
      const data: ChildData = { parent, index, from: given };
      return {
        name: stage,
        data,
        opts: {
          jobId,
          attempts,
          backoff: BACKOFF,
          failParentOnFailure: true,
          removeOnComplete: { age: KEPT },
          removeOnFail: { age: KEPT },
          parent: { id: parent, queue: job.queueQualifiedName },
        },
      };
    }),
  );
  if (await job.moveToWaitingChildren(token)) throw new store.errors.WaitingChildrenError();
  return checkTogether(stage, await resultsOf(job, spec, stage, ids), spec);
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
