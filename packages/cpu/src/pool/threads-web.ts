/** Threads in a page, or in a worker of one: module workers. */

import { type Arena, compileKernels } from '../arena/arena.js';
import {
  type LargeSorter,
  MAX_THREADS,
  type ThreadOptions,
  type ThreadSupport,
  type Way,
} from './large-sorter.js';
import { inSlices } from './pauses.js';
import type { TaskResult } from './task.js';
import { ThreadPool, type WorkerTransport } from './thread-pool.js';
import { CopyingSorter } from './worker/copying-sorter.js';
import { type CreateWorker, WorkerClient } from './worker/worker-client.js';

/**
 * Workers serve requests of this length or more. Fewer keys take the calling thread a millisecond
 * at most; messages to workers and back take two or three.
 */
const FROM = { narrowKeys: 1 << 17, others: 1 << 17 };

/** The calling thread takes longer for this many keys than workers take to start. */
const AWAITED_FROM = 1 << 23;

/** Only a page that is isolated from other origins can hand memory to a worker. */
const shareMemory = typeof SharedArrayBuffer !== 'undefined';

export const THREADS: ThreadSupport = {
  count({ threads, plain, createWorker }) {
    if (createWorker === undefined && typeof Worker === 'undefined') return 0;
    if (plain || !shareMemory) return 1;
    return threads ?? Math.min(globalThis.navigator?.hardwareConcurrency ?? 1, MAX_THREADS);
  },
  shareMemory,
  from: FROM,
  fromIfMany: FROM,
  remedy() {
    // 'self' is then nobody, and every file is of another origin.
    if (globalThis.origin === 'null') {
      return 'Allow workers by the policy of this frame (worker-src blob:).';
    }
    return (
      "Allow workers by the page's policy (worker-src 'self' blob:), or serve the file of " +
      '@keysweep/cpu/worker from its own origin and name it: cpu({ workerUrl }).'
    );
  },
  awaitedFrom: AWAITED_FROM,
  ways({ workerUrl, createWorker }) {
    const ways: Way[] = [];
    if (createWorker !== undefined) ways.push({ ...byMaking(createWorker), isNamed: true });
    if (typeof Worker === 'undefined') return ways;
    if (workerUrl !== undefined) ways.push({ ...byUrl(workerUrl), isNamed: true });
    return [...ways, ...ownWays()];
  },
};

const newWorker = (url: string | URL): Worker =>
  new Worker(url, { type: 'module', name: 'keysweep' });

const byMaking = (create: CreateWorker): Way => ({
  name: 'the worker that createWorker makes',
  start: async (options, arena) => start(create, options, arena),
});

const byUrl = (url: string | URL): Way => ({
  name: `the worker that workerUrl names, ${url}`,
  start: async (options, arena) => start(() => newWorker(url), options, arena),
});

/**
 * The address of the worker's file, or undefined in a bundle that has no address. Written so that
 * bundlers see what they have to bring along.
 */
function fileUrl(): URL | undefined {
  try {
    return new URL('./worker-web.js', import.meta.url);
  } catch {
    return undefined;
  }
}

const byFile = (url: URL): Way => ({
  name: "the worker's file",
  start: async (options, arena) => start(() => newWorker(url), options, arena),
});

/** The ways that need nothing of the caller, the likelier one first. */
function ownWays(): Way[] {
  const url = fileUrl();
  if (url === undefined) return [inBlob];
  return isFileLikely(url) ? [byFile(url), inBlob] : [inBlob, byFile(url)];
}

/**
 * Whether the worker's file may be where its address says. A bundler that brings the file along
 * gives it another name, and one that does not moves this module away from it: then a request for
 * it would fail, and leave an error in the console. The file lies in a folder `pool`.
 */
const isFileLikely = ({ pathname }: URL): boolean =>
  pathname.endsWith('/pool/worker-web.js') || !pathname.endsWith('/worker-web.js');

/**
 * The worker's code from a module of its own, which is loaded only now. It is started as a plain
 * script, because Chromium starts no module from a Blob in a frame whose sandbox takes its origin
 * away. Deno has nothing but module workers, so there it is started as one.
 */
const inBlob: Way = {
  name: 'a Blob',
  async start(options, arena) {
    const { WORKER_SOURCE } = await import('./worker/worker-source.js');
    const url = URL.createObjectURL(new Blob([WORKER_SOURCE], { type: 'text/javascript' }));
    const create = (): Worker => {
      try {
        return new Worker(url, { name: 'keysweep' });
      } catch {
        return newWorker(url);
      }
    };
    return start(create, options, arena, () => URL.revokeObjectURL(url));
  },
};

/** Starts workers; calls `onSettled` when each has loaded its code or is lost. */
function start(
  createWorker: CreateWorker,
  options: ThreadOptions,
  arena: () => Arena,
  onSettled: () => void = () => {},
): LargeSorter {
  const clients: WorkerClient[] = [];
  const add = (): WorkerClient => {
    const client = new WorkerClient(createWorker);
    clients.push(client);
    return client;
  };
  try {
    return options.plain || !shareMemory
      ? new CopyingSorter(add(), options.plain)
      : startThreadPool(Array.from({ length: THREADS.count(options) }, add), arena());
  } catch (error) {
    for (const client of clients) client.close();
    throw error;
  } finally {
    Promise.allSettled(clients.map(({ ready }) => ready)).then(onSettled);
  }
}

function startThreadPool(clients: readonly WorkerClient[], arena: Arena): LargeSorter {
  const { memory } = arena;
  const module = compileKernels();
  const broken = Promise.race(clients.map(({ lost }) => lost));
  const started = Promise.all(clients.map(({ ready }) => ready));
  // Not everybody waits for these.
  for (const promise of [broken, started]) promise.catch(() => {});
  // A worker that cannot attach is lost, and `broken` tells of it.
  for (const client of clients) client.call('attach', { module, memory }).catch(() => {});
  let tasks: Promise<TaskResult>[] = [];
  const transport: WorkerTransport = {
    threads: clients.length,
    started,
    failedToStart: () => clients.some((client) => client.failedToStart),
    send(task, count) {
      tasks = clients
        .slice(0, count)
        .map((client, thread) => client.call('task', { task, thread }));
      // One that is lost while keys are still copied in rejects before anybody waits for it.
      for (const task of tasks) task.catch(() => {});
    },
    async ended() {
      const settled = await Promise.allSettled(tasks);
      return settled.flatMap((task) => (task.status === 'fulfilled' ? task.value : []));
    },
    broken,
    close: async () => {
      for (const client of clients) client.close();
    },
  };
  // The calling thread never leads: a page's main thread may not wait.
  return new ThreadPool(arena, transport, inSlices);
}
