/** Child processes that divide stretches of a source and sort parts of it, for one sort. */

import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type MemoryPlan, memoryPlanFor } from '../../divide/memory-plan.js';
import { joinParts, type Part } from '../../divide/part.js';
import { type Divide, partitionSource, stretchesOf } from '../../divide/partition.js';
import type { Splitters } from '../../divide/splitters.js';
import { ExternalError } from '../../error.js';
import type { Run } from '../../open/run.js';
import type { Source } from '../../open/source.js';
import type { ByteSink, ProcessReport, SortProcess } from '../../options.js';
import { descriptorName } from '../../storage/held.js';
import { noteProcess, temporaryAt } from '../../storage/live.js';
import { partsBy } from '../../storage/names.js';
import { Notes, type Written } from '../../write/notes.js';
import type { Executor, Partitioned } from '../executor.js';
import { childFlags } from './flags.js';
import { aloneWithGpu } from './gpu.js';
import {
  AT_ONCE,
  type DivideTask,
  type Done,
  type Order,
  type Reply,
  type Setup,
  type Task,
} from './messages.js';

// An import of `node:process` would open the standard streams.
const { env: ownEnv } = process;

const PROGRAM = fileURLToPath(new URL('./sort-process.js', import.meta.url));

/** A child, and what it has to do. */
interface Child {
  readonly process: ChildProcess;
  readonly report: { -readonly [Name in keyof ProcessReport]: ProcessReport[Name] };
  /** By their numbers. */
  readonly tasks: Map<number, Task>;
  /** Since when it has some. */
  busySince: number;
}

/** Tasks that are being done. */
interface Batch {
  /** The tasks that no child has. */
  readonly waiting: Task[];
  /** How many are not done. */
  left: number;
  /** How many a child has at most. */
  readonly atOnce: number;
  readonly told: (bytes: number) => void;
  readonly done: (task: Task, done: Done) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The processes of one sort. */
export class ProcessPool implements Executor {
  readonly memoryPlan: MemoryPlan;
  readonly #run: Run;
  readonly #children: Child[] = [];
  #nextId = 0;
  /** Threads that divided the last source, of all processes. */
  #threads = 0;
  #batch: Batch | undefined;
  /** What broke the pool: nothing more is done. */
  #failure: { readonly error: unknown } | undefined;

  /**
   * Starts `processes` for a source of `bytes` bytes. Each takes the memory of `memoryPlan`, and
   * gets the descriptors of the `temporaries`, folders and files that it writes to.
   * @throws ExternalError where one cannot have the GPU that it is to have
   */
  static async start(
    run: Run,
    processes: readonly SortProcess[],
    memoryPlan: MemoryPlan,
    bytes: number,
    temporaries: readonly string[],
  ): Promise<ProcessPool> {
    const program = [process.execPath, ...childFlags(), PROGRAM] as const;
    const commands = await Promise.all(
      processes.map(({ gpu }) => (gpu === undefined ? program : aloneWithGpu(gpu, program))),
    );
    const pool = new ProcessPool(run, memoryPlanFor(processes.length, bytes, memoryPlan));
    const threads = Math.max(1, Math.floor(availableParallelism() / processes.length));
    for (const [i, [command, ...args]] of commands.entries()) {
      pool.#spawn(command, args, { threads, ...processes[i] }, temporaries);
    }
    run.signal?.addEventListener('abort', pool.#abort);
    return pool;
  }

  private constructor(run: Run, memoryPlan: MemoryPlan) {
    this.#run = run;
    this.memoryPlan = memoryPlan;
  }

  /** What each process did. */
  get reports(): readonly ProcessReport[] {
    return this.#children.map(({ report }) => ({ ...report }));
  }

  async partition(source: Source, path: string): Promise<Partitioned> {
    const divide: Divide = (some, splitters, folder) => this.#divide(some, splitters, folder);
    const parts = await partitionSource(this.#run, source, this.memoryPlan, divide, path);
    return { ...parts, threads: this.#threads };
  }

  /** Divides a source into parts: each process a stretch of it, of which nothing stays. */
  async #divide(source: Source, splitters: Splitters, folder: string): Promise<Part[]> {
    const all = { from: 0, end: source.size, mayStay: false };
    const tasks = stretchesOf(all, this.#alive.length, this.#run.layout).map(({ from, end }) => ({
      kind: 'divide' as const,
      paths: source.paths,
      from,
      end,
      splitters: splitters.pairs,
      folder,
    }));
    let completed = 0;
    const told = (bytes: number): void => {
      // A stretch that is divided again is told of again.
      completed = Math.min(source.size, completed + bytes);
      this.#run.tell('partition', completed, source.size);
    };
    const divided: [from: number, parts: readonly Part[]][] = [];
    this.#threads = 0;
    await this.#perform(tasks, 1, told, (task, { parts, threads }) => {
      this.#threads += threads;
      divided.push([(task as DivideTask).from, parts]);
    });
    return joinParts(divided.sort(([a], [b]) => a - b).map(([, parts]) => parts));
  }

  async sort(
    source: Source,
    parts: readonly Pick<Part, 'paths' | 'size'>[] = [source],
    given: string | ByteSink,
    position: number,
    note: (written: Written) => Promise<void>,
  ): Promise<void> {
    // Arguments were refused where the output is no path.
    const output = given as string;
    let at = position;
    const tasks = parts.map(({ paths, size }) => {
      at += size;
      return { kind: 'sort' as const, paths, size, output, at: at - size };
    });
    const total = at - position;
    const written = new Set<Task>();
    const notes = new Notes(note);
    let [first, completed] = [0, 0];
    const done = (task: Task): void => {
      written.add(task);
      completed += (task as (typeof tasks)[number]).size;
      const before = first;
      for (; written.has(tasks[first] as Task); first++);
      if (first > before) notes.add({ parts: first, bytes: (tasks[first]?.at ?? at) - position });
      this.#run.tell('sort', completed, total);
    };
    try {
      await this.#perform(tasks, AT_ONCE, () => {}, done);
      await notes.keepUp(0);
    } finally {
      await notes.end().catch(() => {});
    }
  }

  /** Ends all processes, and resolves when they have. */
  async close(): Promise<void> {
    this.#run.signal?.removeEventListener('abort', this.#abort);
    this.#failure ??= { error: new Error('the sort has ended') };
    for (const { process: child } of this.#children) {
      const { exitCode, signalCode, pid } = child;
      if (pid === undefined || exitCode !== null || signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }

  readonly #abort = (): void => this.#fail(this.#run.signal?.reason);

  #spawn(
    command: string,
    args: readonly string[],
    { threads, ...given }: Setup['process'],
    temporaries: readonly string[],
  ): void {
    // In a group of its own: an interrupt of a terminal is for this process to hear.
    const options = { detached: true, serialization: 'advanced' } as const;
    // Threads that divide a file read and write by the threads of Node's pool, four by default.
    const env = { UV_THREADPOOL_SIZE: `${Math.max(4, threads)}`, ...ownEnv };
    const held = temporaries.flatMap((path) => {
      const fd = temporaryAt(path)?.fd;
      return fd === undefined ? [] : [{ path, fd }];
    });
    const standard = ['ignore', 'ignore', 'inherit', 'ipc'] as const;
    const stdio: StdioOptions = [...standard, ...held.map(({ fd }) => fd)];
    const names = held.map(({ path }, i) => [path, descriptorName(standard.length + i)] as const);
    const process = spawn(command, args, { ...options, stdio, env });
    const child: Child = {
      process,
      report: {
        ...(given.gpu === undefined ? { threads } : { gpu: given.gpu }),
        pid: process.pid ?? 0,
        parts: 0,
        bytesRead: 0,
        bytesWritten: 0,
        milliseconds: 0,
        endedBy: undefined,
      },
      tasks: new Map(),
      busySince: 0,
    };
    this.#children.push(child);
    const forget = noteProcess(process);
    const lose = (why: string): void => {
      forget();
      this.#lose(child, why);
    };
    process.on('error', ({ message }) => lose(message));
    process.once('exit', (code, signal) => lose(signal ?? `exit code ${code}`));
    process.on('message', (reply: Reply) => this.#hear(child, reply));
    const { layout } = this.#run;
    const { memoryPlan } = this;
    const setup = { layout, memoryPlan, dividers: threads, process: { threads, ...given }, names };
    send(process, setup satisfies Setup);
  }

  /** Has the children do `tasks`, each at most `atOnce` at a time. */
  async #perform(
    tasks: readonly Task[],
    atOnce: number,
    told: (bytes: number) => void,
    done: (task: Task, done: Done) => void,
  ): Promise<void> {
    this.#run.signal?.throwIfAborted();
    if (this.#failure !== undefined) throw this.#failure.error;
    if (tasks.length === 0) return;
    try {
      await new Promise<void>((resolve, reject) => {
        const [waiting, left] = [[...tasks], tasks.length];
        this.#batch = { waiting, left, atOnce, told, done, resolve, reject };
        this.#feed();
      });
    } finally {
      this.#batch = undefined;
    }
  }

  get #alive(): readonly Child[] {
    return this.#children.filter(({ report }) => report.endedBy === undefined);
  }

  /** Gives tasks to those who have fewest. */
  #feed(): void {
    const batch = this.#batch;
    if (batch === undefined || this.#failure !== undefined) return;
    if (this.#alive.length === 0) {
      const ends = this.#children.map(({ report }) => `${report.pid} by ${report.endedBy}`);
      this.#fail(new ExternalError(`all processes of the sort have ended: ${ends.join(', ')}`));
      return;
    }
    for (let held = 0; held < batch.atOnce; held++) {
      for (const child of this.#alive) {
        const task = child.tasks.size === held ? batch.waiting.shift() : undefined;
        if (task !== undefined) this.#give(child, task);
      }
    }
  }

  #give(child: Child, given: Task): void {
    const id = this.#nextId++;
    // A folder of its own for each attempt.
    const task = given.kind === 'divide' ? { ...given, folder: partsBy(given.folder, id) } : given;
    if (child.tasks.size === 0) child.busySince = performance.now();
    child.tasks.set(id, task);
    send(child.process, { id, task } satisfies Order);
  }

  #hear(child: Child, reply: Reply): void {
    if (reply.kind === 'failed') {
      const { message, isPlain } = reply;
      this.#fail(isPlain ? new ExternalError(message) : new Error(message));
      return;
    }
    const batch = this.#batch;
    if (batch === undefined || this.#failure !== undefined) return;
    try {
      if (reply.kind === 'told') batch.told(reply.bytes);
      else this.#finish(batch, child, reply.done);
    } catch (error) {
      this.#fail(error);
    }
  }

  #finish(batch: Batch, child: Child, done: Done): void {
    const { report, tasks } = child;
    const task = tasks.get(done.id);
    if (task === undefined) return;
    tasks.delete(done.id);
    if (tasks.size === 0) report.milliseconds += performance.now() - child.busySince;
    if (task.kind === 'sort') report.parts++;
    report.bytesRead += done.read;
    report.bytesWritten += done.written;
    this.#run.count.read += done.read;
    this.#run.count.written += done.written;
    batch.done(task, done);
    if (--batch.left === 0) batch.resolve();
    else this.#feed();
  }

  /** Gives the tasks of a child that has ended to the others. */
  #lose(child: Child, why: string): void {
    const { report, tasks } = child;
    if (this.#failure !== undefined || report.endedBy !== undefined) return;
    report.endedBy = why;
    if (tasks.size > 0) report.milliseconds += performance.now() - child.busySince;
    this.#batch?.waiting.unshift(...tasks.values());
    tasks.clear();
    this.#feed();
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = { error };
    this.#batch?.reject(error);
  }
}

/** A message to a child that has ended is no error: its end is told of by itself. */
function send(child: ChildProcess, message: Setup | Order): void {
  child.send(message, () => {});
}
