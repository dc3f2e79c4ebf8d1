/** Divides a stretch of a source by several threads: each a stretch of it, into its own files. */

import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { allDone } from '../../all-done.js';
import { type MemoryPlan, type Room, shareOf, threadsFor } from '../../divide/memory-plan.js';
import { joinParts, type Part } from '../../divide/part.js';
import { type DividingRun, type Stretch, stretchesOf, writeParts } from '../../divide/partition.js';
import type { Splitters } from '../../divide/splitters.js';
import { ExternalError } from '../../error.js';
import { later } from '../../open/run.js';
import type { Source } from '../../open/source.js';
import { isAddress } from '../../storage/address.js';
import { namesHere } from '../../storage/live.js';
import { partsBy } from '../../storage/names.js';
import type { Order, Reply, Setup } from './messages.js';

const PROGRAM = fileURLToPath(new URL('./divide-thread.js', import.meta.url));

/**
 * Up to `most` threads of one sort, each with its share of memory. The calling one is among them,
 * unless it `isBusy` with something else.
 */
export class Dividers {
  readonly #memoryPlan: MemoryPlan;
  readonly #most: number;
  readonly #isBusy: boolean;
  /** The threads that wait for a stretch. */
  #started: DividingThread[] = [];
  #threads = 1;

  constructor(memoryPlan: MemoryPlan, most: number, isBusy = false) {
    this.#memoryPlan = memoryPlan;
    this.#most = most;
    this.#isBusy = isBusy;
  }

  /** Threads that have divided at the same time. */
  get threads(): number {
    return this.#threads;
  }

  /** Starts the others that will divide files into `parts`: that takes a tenth of a second. */
  start(paths: readonly string[], parts: number): void {
    const threads = this.#countFor(paths, parts);
    this.#started = Array.from({ length: threads - 1 }, () => new DividingThread());
  }

  /** Divides a stretch: by the calling thread alone, in `room`, where several do not pay. */
  async divide(
    run: DividingRun,
    source: Source,
    splitters: Splitters,
    room: Room,
    folder: string,
    stretch: Stretch,
  ): Promise<Part[]> {
    const { layout } = run;
    const { paths } = source;
    const threads = this.#countFor([folder, ...paths], splitters.parts);
    const stretches = stretchesOf(stretch, threads, layout);
    if (paths.length === 0 || stretches.length === 1) {
      const memoryPlan = this.#memoryPlan;
      return writeParts(run, source, splitters, { memoryPlan, room, folder, stretch });
    }
    this.#threads = Math.max(this.#threads, stretches.length);
    const share = shareOf(this.#memoryPlan, threads, layout);
    const total = stretch.end - stretch.from;
    let completed = 0;
    const { signal, stopOthers } = stopper();
    const tell = (bytes: number): void => {
      signal.throwIfAborted();
      completed += bytes;
      run.tell('partition', completed, total);
    };
    const own = (stretch: Stretch): Promise<Part[]> => {
      let told = 0;
      const toldRun = {
        ...run,
        tell(_: string, done: number): void {
          tell(done - told);
          told = done;
        },
      };
      const dividing = { memoryPlan: share, room, folder: partsBy(folder, 0), stretch };
      return writeParts(toldRun, source, splitters, dividing);
    };
    const other = async (stretch: Stretch, i: number): Promise<readonly Part[]> => {
      const thread = this.#started.pop() ?? new DividingThread();
      const setup = {
        layout,
        memoryPlan: share,
        paths,
        stretch,
        splitters: splitters.pairs,
        folder: partsBy(folder, i),
        names: namesHere(),
      };
      const { parts, read, written } = await thread.divide(setup, tell, signal);
      run.count.read += read;
      run.count.written += written;
      return parts;
    };
    const isOwn = (i: number): boolean => i === 0 && !this.#isBusy;
    const works = stretches.map((some, i) => stopOthers(isOwn(i) ? own(some) : other(some, i)));
    return joinParts(await allDone(works));
  }

  /** Ends threads that wait, and resolves when they have ended. */
  async close(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((thread) => thread.close()));
  }

  /** Threads see the files of this machine alone. */
  #countFor(paths: readonly string[], parts: number): number {
    if (paths.some(isAddress) || !existsSync(PROGRAM)) return 1;
    return threadsFor(this.#memoryPlan, parts, this.#most);
  }
}

/** What one of several works that fails stops the others by: the first reason is thrown by all. */
function stopper(): { signal: AbortSignal; stopOthers: <T>(work: Promise<T>) => Promise<T> } {
  const controller = new AbortController();
  const { signal } = controller;
  return {
    signal,
    stopOthers: (work) =>
      work.catch((error) => {
        controller.abort(error);
        throw signal.reason;
      }),
  };
}

/** Milliseconds that a thread has to close its files, such as those on a disk that hangs. */
const STOP_TIME = 2000;

type Done = Extract<Reply, { kind: 'done' }>;

/** A thread that divides one stretch, and then ends. */
class DividingThread {
  // The process's own flags are for its own code: see flags.ts.
  readonly #thread = new Worker(PROGRAM, { execArgv: [] });
  readonly #ended: Promise<Done>;
  #hasLoaded = false;
  #ending: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown } | undefined;
  #tell: (bytes: number) => void = () => {};

  constructor() {
    let done: Done | undefined;
    const hear = (reply: Reply): void => {
      this.#hasLoaded = true;
      if (this.#failure !== undefined) this.#end();
      else if (reply.kind === 'done') done = reply;
      else if (reply.kind === 'told') this.#tell(reply.bytes);
      else throw reply.isPlain ? new ExternalError(reply.message) : new Error(reply.message);
    };
    this.#thread.on('message', (reply: Reply) => {
      try {
        hear(reply);
      } catch (error) {
        this.#fail(error);
      }
    });
    this.#thread.on('error', (error) => this.#fail(error));
    this.#ended = later(
      new Promise((resolve, reject) => {
        this.#thread.on('exit', () => {
          clearTimeout(this.#ending);
          if (this.#failure !== undefined) reject(this.#failure.error);
          else if (done !== undefined) resolve(done);
          else reject(new Error('a thread ended before its stretch was divided'));
        });
      }),
    );
  }

  /**
   * Divides a stretch. The thread has ended when this resolves, or rejects.
   * @throws what `tell` throws; the reason of `stopped`
   */
  async divide(setup: Setup, tell: (bytes: number) => void, stopped: AbortSignal): Promise<Done> {
    this.#tell = tell;
    const stop = (): void => this.#fail(stopped.reason);
    stopped.addEventListener('abort', stop);
    if (stopped.aborted) stop();
    else this.#thread.postMessage(setup);
    return this.#ended.finally(() => stopped.removeEventListener('abort', stop));
  }

  async close(): Promise<void> {
    this.#fail(new Error('the thread was not wanted'));
    await this.#ended.catch(() => {});
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#end();
  }

  /**
   * Ends the thread. It is asked first, because files that it is about to open when it is
   * terminated stay open, and because Node 20 aborts the process if a thread is terminated while
   * it loads.
   */
  #end(): void {
    if (!this.#hasLoaded || this.#ending !== undefined) return;
    this.#thread.postMessage('stop' satisfies Order);
    this.#ending = setTimeout(() => void this.#thread.terminate(), STOP_TIME);
  }
}
