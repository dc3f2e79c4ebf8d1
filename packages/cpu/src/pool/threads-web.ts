/** Threads in a page, or in a worker of one: module workers. */

import { runInSlices } from '@keysweep/core';
import { Arena, compileKernels } from '../sort/arena.js';
import { arenaTeam, MOST_THREADS, type Team, type TeamOptions, type Threads } from './executor.js';
import { pauses } from './pauses.js';
import { makeCrew } from './thread-pool.js';
import { remoteTeam } from './worker/copying-executor.js';
import { type CreateWorker, WorkerLink } from './worker/worker-client.js';

/**
 * From this many keys on, workers serve a request: what is shorter takes a thread a millisecond at
 * most, and a page has something else to do for longer ones. Messages to workers and back take two or three.
 */
const PAY_FROM = 1 << 17;

/** Written so that bundlers see which file they have to bring along. */
const ownWorker: CreateWorker = () =>
  new Worker(new URL('../worker-web.js', import.meta.url), { type: 'module', name: 'keysweep' });

/** Only a page that is isolated from other origins can hand memory to a worker. */
const shareMemory = typeof SharedArrayBuffer !== 'undefined';

export const THREADS: Threads = {
  count({ threads, plain, createWorker }) {
    if (forbidden || (createWorker === undefined && typeof Worker === 'undefined')) return 0;
    if (plain || !shareMemory) return 1;
    return threads ?? Math.min(navigator.hardwareConcurrency, MOST_THREADS);
  },
  shareMemory,
  payFrom: () => PAY_FROM,
  async start(options) {
    watchPolicy();
    return options.plain || !shareMemory ? startRemote(options) : startCrew(options);
  },
};

/** Whether the page's content security policy forbids workers: known once it has forbidden one. */
let forbidden = false;
let watched = false;

/** Listens for what the policy forbids: the worker itself says no more than that it failed. */
function watchPolicy(): void {
  if (watched) return;
  watched = true;
  globalThis.addEventListener('securitypolicyviolation', ({ effectiveDirective, disposition }) => {
    if (effectiveDirective === 'worker-src' && disposition === 'enforce') forbidden = true;
  });
}

function startRemote({ plain, createWorker = ownWorker }: TeamOptions): Team {
  return remoteTeam(new WorkerLink(createWorker), plain);
}

function startCrew(options: TeamOptions): Team {
  const { createWorker = ownWorker } = options;
  const threads = THREADS.count(options);
  const arena = new Arena();
  const { memory } = arena;
  const module = compileKernels();
  const links: WorkerLink[] = [];
  const close = async (): Promise<void> => {
    for (const link of links) link.close();
  };
  try {
    for (let i = 0; i < threads; i++) links.push(new WorkerLink(createWorker));
  } catch (error) {
    close();
    throw error;
  }
  const broken = Promise.race(links.map(({ lost }) => lost));
  broken.catch(() => {});
  // A worker that cannot join is lost, which all of them hear of.
  for (const link of links) link.ask('join', { module, memory }).catch(() => {});
  const crew = makeCrew({
    threads,
    memory,
    send: (task) => (links[task.thread] as WorkerLink).ask('task', task),
    broken,
    close,
  });
  // The calling thread never leads: a page's main thread may not wait.
  return arenaTeam(arena, crew, () => {
    const pause = pauses();
    return (steps) => runInSlices(steps, pause);
  });
}
