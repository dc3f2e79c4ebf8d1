/** Divides a stretch of a source by several threads: each a stretch of it, into files of its own. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { allDone } from '../all-done.js';
import { ExternalError } from '../error.js';
import { type Division, type Room, shareOf, threadsFor } from '../memory.js';
import { joinParts, type Part } from '../part.js';
import { type DividingRun, type Stretch, stretchesOf, writeParts } from '../partition.js';
import type { Source } from '../source.js';
import type { Splitters } from '../splitters.js';
import { isAddress } from '../storage/address.js';
import type { Reply, Setup } from './messages.js';

const PROGRAM = fileURLToPath(new URL('./divide-thread.js', import.meta.url));

/**
 * Divides a stretch of a source, by up to `most` threads where that pays: each has its share of the
 * memory. Where files are not of this machine, or it is small, the calling thread does so in `room`.
 */
export async function divideStretch(
  run: DividingRun,
  source: Source,
  splitters: Splitters,
  division: Division,
  room: Room,
  folder: string,
  stretch: Stretch,
  most: number,
): Promise<Part[]> {
  const { paths } = source;
  const isHere = paths.length > 0 && ![folder, ...paths].some(isAddress) && existsSync(PROGRAM);
  const threads = isHere ? threadsFor(division, splitters.parts, most) : 1;
  const { layout } = run;
  const stretches = stretchesOf(stretch, threads, layout);
  if (stretches.length === 1) {
    return writeParts(run, source, splitters, division, room, folder, stretch);
  }
  const share = shareOf(division, threads, layout);
  const setups = stretches.map((own, i) => ({
    ...{ layout, division: share, paths, stretch: own, splitters: splitters.pairs },
    folder: `${folder}-${i}`,
  }));
  const total = stretch.end - stretch.from;
  let completed = 0;
  const stopped = new AbortController();
  const tell = (bytes: number): void => {
    completed += bytes;
    run.tell('partition', completed, total);
  };
  const works = setups.map(async (setup) => {
    try {
      return await divideInThread(setup, tell, stopped.signal);
    } catch (error) {
      // The first reason is the one that is thrown.
      stopped.abort(error);
      throw stopped.signal.reason;
    }
  });
  const done = await allDone(works);
  for (const { read, written } of done) {
    run.count.read += read;
    run.count.written += written;
  }
  return joinParts(done.map(({ parts }) => parts));
}

type Done = Extract<Reply, { kind: 'done' }>;

/**
 * Has a thread divide a stretch. It has ended when this resolves, or rejects.
 * @throws what `tell` throws; the reason of `stopped`
 */
function divideInThread(
  setup: Setup,
  tell: (bytes: number) => void,
  stopped: AbortSignal,
): Promise<Done> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(PROGRAM, { workerData: setup });
    let hasLoaded = false;
    let done: Done | undefined;
    let failure: { readonly error: unknown } | undefined;
    const fail = (error: unknown): void => {
      failure ??= { error };
      // Node 20 aborts the process where a thread is terminated while it loads.
      if (hasLoaded) void thread.terminate();
    };
    const stop = (): void => fail(stopped.reason);
    if (stopped.aborted) stop();
    stopped.addEventListener('abort', stop);
    thread.on('message', (reply: Reply) => {
      hasLoaded = true;
      if (failure !== undefined) return void thread.terminate();
      if (reply.kind === 'done') {
        done = reply;
      } else if (reply.kind === 'failed') {
        const { message, isPlain } = reply;
        fail(isPlain ? new ExternalError(message) : new Error(message));
      } else {
        try {
          tell(reply.bytes);
        } catch (error) {
          fail(error);
        }
      }
    });
    thread.on('error', fail);
    thread.on('exit', () => {
      stopped.removeEventListener('abort', stop);
      if (failure !== undefined) reject(failure.error);
      else if (done !== undefined) resolve(done);
      else reject(new Error('a thread ended before its stretch was divided'));
    });
  });
}
