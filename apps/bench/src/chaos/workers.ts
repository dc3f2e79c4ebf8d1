/** Sorts by workers of a store to which something happens, and what is there afterwards. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type ClusterProgress,
  type LocalStore,
  runWorker,
  startLocalStore,
  submitSort,
} from '@keysweep/cluster';
import { ExternalError } from '@keysweep/external';
import { builtin, createSorter } from 'keysweep';
import { childrenOf } from '../soak/in-node.js';
import type { Round } from './draw.js';
import { assertTidy, ChaosFault, type Files, kill, stateOf } from './files.js';
import type { Waits } from './waits.js';

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** Milliseconds after which the jobs of a silent worker are given to others. */
const LOCK = 2000;

/** What the process of a worker is told. */
export interface WorkerJob {
  readonly connection: string;
  readonly root: string;
  readonly name: string;
}

/** Works until it is ended. */
export async function runWorkerJob({ connection, root, name }: WorkerJob): Promise<void> {
  const ending = new AbortController();
  process.once('disconnect', () => ending.abort());
  // Whoever started it may have gone while its code was loaded.
  if (!process.connected) return;
  const sorter = await createSorter({ backends: [builtin()] });
  try {
    await runWorker(connection, {
      ...{ roots: [root], name, sorter, lockDuration: LOCK, signal: ending.signal },
      onError: () => {},
    });
  } finally {
    await sorter.close();
    // The channel would keep the process, so that nobody started a worker in its place.
    if (process.connected) process.disconnect();
  }
}

/** The store of a run, which is started when it is first wanted. */
export class ChaosStore {
  #store: LocalStore | undefined;
  #processes: readonly number[] = [];

  async connection(): Promise<string> {
    if (this.#store === undefined) {
      const before = childrenOf(process.pid);
      this.#store = await startLocalStore();
      this.#processes = childrenOf(process.pid).filter((pid) => !before.includes(pid));
    }
    return this.#store.connection;
  }

  /** Kills PostgreSQL, which its process then starts again. */
  kill(): void {
    for (const pid of this.#processes.flatMap(childrenOf)) kill(pid);
  }

  /** How many processes of this one are the store's. */
  get processes(): number {
    return this.#processes.length;
  }

  async stop(): Promise<void> {
    await this.#store?.stop();
  }
}

/** Sorts by two workers while something happens. @throws ChaosFault */
export async function runClusterRound(
  round: Round,
  files: Files,
  store: ChaosStore,
  waits: Waits,
): Promise<'done' | 'failed'> {
  const { fault, layout, milliseconds } = round;
  const connection = await store.connection();
  const workers = ['one', 'two'].map(
    (name) => new Supervised({ connection, root: files.folder, name: `${name}-${round.number}` }),
  );
  const controller = new AbortController();
  const { signal } = controller;
  const plan = {
    ...{ ...layout, input: files.input, output: files.output, parts: 5, memory: 4_000_000 },
    ...{ signal, attempts: 20 },
  };
  const strike = async (): Promise<void> => {
    await delay(8 * milliseconds);
    const { process: first } = workers[0] as Supervised;
    if (fault === 'worker-killed') first.kill('SIGKILL');
    if (fault === 'store-killed') store.kill();
    if (fault === 'workers-abort') controller.abort(new Error('enough'));
    if (fault !== 'worker-stopped') return;
    first.kill('SIGSTOP');
    await delay(3 * LOCK);
    first.kill('SIGCONT');
  };
  const striking = strike();
  const times = fault === 'jobs-twice' ? 2 : 1;
  const submitted = Array.from({ length: times }, (_, i) => {
    let last = 'nothing yet';
    const onProgress = ({ phase, completed, total }: ClusterProgress): void => {
      last = `${phase} ${completed} of ${total}`;
    };
    const sorting = submitSort(connection, { ...plan, onProgress });
    return waits.until(() => `sort ${i + 1} (${last})`, sorting);
  });
  const ends = await Promise.allSettled(submitted);
  await waits.until(() => 'what happens to it', striking);
  await Promise.all(
    workers.map((worker) => waits.until(() => `the end of ${worker}`, worker.end())),
  );
  const failed = ends.filter((end) => end.status === 'rejected');
  const state = stateOf(files);
  if (state !== (failed.length < ends.length ? 'new' : 'old')) {
    throw new ChaosFault(`${failed.length} of ${times} sorts failed, the output is ${state}`);
  }
  for (const { reason } of failed) {
    const isMeant = reason instanceof ExternalError || reason === signal.reason;
    // What a lost worker did is done by others. A store that is away takes no jobs.
    if (isMeant && (fault === 'workers-abort' || fault === 'store-killed')) continue;
    throw new ChaosFault(`the sort failed: ${String(reason)}`);
  }
  assertTidy(files);
  return failed.length > 0 ? 'failed' : 'done';
}

/** A worker's process. One that ends is started again, as whoever runs workers has it. */
class Supervised {
  readonly #job: WorkerJob;
  process: ChildProcess;
  #isEnding = false;

  constructor(job: WorkerJob) {
    this.#job = job;
    this.process = this.#start();
  }

  #start(): ChildProcess {
    const args = ['chaos', '--worker', JSON.stringify(this.#job)];
    const child = fork(MAIN, args, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    child.once('exit', () => {
      if (!this.#isEnding) this.process = this.#start();
    });
    return child;
  }

  toString(): string {
    const { pid, exitCode, signalCode, connected } = this.process;
    const state = exitCode ?? signalCode ?? (connected ? 'connected' : 'told to end');
    return `worker ${this.#job.name} (process ${pid}, ${state})`;
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    const { process: child } = this;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  }
}
