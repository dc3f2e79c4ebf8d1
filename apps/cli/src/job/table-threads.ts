/** Threads that read columns of Parquet files and encode rows, for the thread that sorts. */

import { availableParallelism, freemem } from 'node:os';
import { SHARE_ENV, Worker } from 'node:worker_threads';
import type { Threads, ThreadTask } from '@keysweep/files';
import type { SortCommand } from '../arguments/command.js';
import { isText } from '../formats.js';
import type { InputSource, OpenFile } from '../io/source.js';

/** Bytes of a file that are worth threads, which take a twentieth of a second to start. */
const LARGE = 2 ** 22;
/** Each more takes memory, and has less to do: one thread at a time writes a file. */
const MOST = 8;
/** Bytes of a table in memory, over those of its file, beside what threads take. */
const TIMES = 8;

/** What a thread is posted first: the file, which the process has open. */
export type TableFile = OpenFile & Pick<InputSource, 'name' | 'size'>;
/** What a thread answers to each task, in their order. */
export type Reply = { readonly result: Awaited<ReturnType<Threads['run']>> } | { failed: true };

/**
 * Threads for `command`, or undefined where one does the work as well: for small files, for outputs
 * that have no row groups, where there is one core, and where memory is short.
 */
export function threadsFor(
  { input, goal, outputFormat, threads }: SortCommand,
  source: InputSource,
): TableThreads | undefined {
  const { size, file } = source;
  const isTable = 'columns' in input;
  // A text is written as it is, or by the thread that sorts.
  if (!isTable || goal !== 'rows' || isText(input.format) !== isText(outputFormat))
    return undefined;
  const count = Math.min(threads ?? availableParallelism(), MOST);
  if (count < 2 || size < LARGE || TIMES * size > freemem() || file === undefined) return undefined;
  return new TableThreads(count, { ...file, name: source.name, size });
}

/** Threads that start at once. Exactly one `close` ends them. */
export class TableThreads implements Threads {
  readonly count: number;
  readonly #threads: readonly TableThread[];

  constructor(count: number, file: TableFile) {
    this.count = count;
    this.#threads = Array.from({ length: count }, () => new TableThread(file));
  }

  /** Rejects where a thread cannot do it, or has ended. */
  run(task: ThreadTask): ReturnType<Threads['run']> {
    const [first, ...others] = this.#threads;
    const free = others.reduce(
      (best, thread) => (thread.waiting < best.waiting ? thread : best),
      first as TableThread,
    );
    return free.run(task);
  }

  /** Resolves when all threads have ended, after the tasks that they have begun. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }
}

class TableThread {
  readonly #worker = new Worker(new URL('./table-thread.js', import.meta.url), { env: SHARE_ENV });
  readonly #ended: Promise<void>;
  /** What waits for answers, in the order of the tasks. */
  #tasks: ((reply: Reply) => void)[] = [];
  #hasEnded = false;

  constructor(file: TableFile) {
    this.#worker.postMessage(file);
    this.#worker.on('message', (reply: Reply) => this.#tasks.shift()?.(reply));
    // What has become of its tasks is all that its errors would tell.
    this.#worker.on('error', () => {});
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#hasEnded = true;
        for (const answer of this.#tasks.splice(0)) answer({ failed: true });
        resolve();
      });
    });
  }

  /** How many tasks it has. One that has ended has no room for any. */
  get waiting(): number {
    return this.#hasEnded ? Number.POSITIVE_INFINITY : this.#tasks.length;
  }

  async run(task: ThreadTask): ReturnType<Threads['run']> {
    const reply = await new Promise<Reply>((answer) => {
      if (this.#hasEnded) return answer({ failed: true });
      const moved = task.kind === 'encode' ? [task.order.buffer] : [];
      this.#worker.postMessage(task, moved);
      this.#tasks.push(answer);
    });
    if ('result' in reply) return reply.result;
    throw new Error('a thread could not do its work');
  }

  async end(): Promise<void> {
    // It is asked, because Node 20 aborts the process where a thread is terminated while it loads.
    this.#worker.postMessage('end');
    await this.#ended;
  }
}
