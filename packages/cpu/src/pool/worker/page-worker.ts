/**
 * The code of a page's worker, `@keysweep/cpu/worker`: a thread of a pool in shared memory, or one
 * alone with arrays that are sent to it. The build makes one file of it, which needs no bundler and
 * no import map.
 */

import { noWebAssembly, runAtOnce, type SortRequest } from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { linkKernels } from '../../arena/arena.js';
import { sortPlain } from '../../fallback/plain.js';
import {
  type CallingThread,
  linkCallingThread,
  reasonForPlain,
  takePages,
} from '../calling-thread.js';
import { doTask, type WorkerSetup } from '../task.js';
import type { Call, Calls, Reply, RequestCopy, SortedCopy } from './messages.js';

/** What is used of a worker's global scope, which the types of a page do not have. */
interface Scope {
  addEventListener(type: 'message', listener: (event: MessageEvent<Call>) => void): void;
  postMessage(reply: Reply, transfer: readonly Transferable[]): void;
}

const scope = globalThis as unknown as Scope;

/** The pool that this worker is attached to. */
let pool: (WorkerSetup & { readonly kernels: CpuKernels }) | undefined;
/** Kernels and memory of its own, for arrays that are sent to it. */
let sorter: CallingThread | undefined;

/** Calls are answered one after the other, though an answer may have to wait. */
let before: Promise<void> = Promise.resolve();

scope.addEventListener('message', ({ data }) => {
  before = before
    .then(() => answer(data))
    .then(
      (given) => scope.postMessage({ answer: given }, buffersOf(given)),
      (error: unknown) => scope.postMessage({ error: String(error) }, []),
    );
});

function answer(
  call: Call,
): Calls[Call['kind']]['answer'] | Promise<Calls[Call['kind']]['answer']> {
  switch (call.kind) {
    case 'hold':
      return holdLock(call.argument);
    case 'attach': {
      const { module, memory } = call.argument;
      // Deno hands over the length that it had when it was sent; growing makes it look again.
      memory.grow(0);
      pool = { module, memory, kernels: linkKernels(module, memory) };
      return undefined;
    }
    case 'task': {
      if (pool === undefined) throw new Error('a task for a worker that is attached to no pool');
      const { task, thread } = call.argument;
      return doTask(task, thread, pool.kernels, pool.memory);
    }
    case 'sort':
      return sort(call.argument);
    case 'takePages':
      sorter ??= linkCallingThread();
      takePages(sorter.arena, call.argument);
      return undefined;
  }
}

/**
 * Holds a lock for life; returns whether there are locks here. If a sandbox has taken the origin
 * away, they may be there and refuse every request.
 */
function holdLock(name: string | undefined): Promise<boolean> | boolean {
  const locks: LockManager | undefined = globalThis.navigator?.locks;
  if (name === undefined || locks === undefined) return false;
  return new Promise((resolve) => {
    const forLife = new Promise<never>(() => {});
    const onHeld = (): Promise<never> => {
      resolve(true);
      return forLife;
    };
    locks.request(name, onHeld).catch(() => resolve(false));
  });
}

async function sort({ plain, reportsProgress, ...copy }: RequestCopy): Promise<SortedCopy> {
  const { shape, columns, values } = copy;
  // What this thread copies into and out of its own memory is part of the sort.
  const report: SortRequest['onProgress'] = (progress) => {
    if (progress.phase === 'sort') scope.postMessage({ progress }, []);
  };
  const onProgress = reportsProgress ? report : undefined;
  const request = { ...copy, signal: undefined, onProgress };
  const serve = async () => {
    if (plain) return runAtOnce(sortPlain(request));
    // A worker's own content security policy may rule WebAssembly out where the page's does not.
    const reason = reasonForPlain();
    if (reason !== undefined) {
      return { ...runAtOnce(sortPlain(request)), warnings: [noWebAssembly(reason)] };
    }
    sorter ??= linkCallingThread();
    return sorter.sort(request);
  };
  const outcome = await serve();
  return { outcome, keys: shape.operation === 'argsort' ? undefined : columns[0], values };
}

/** The buffers that an answer takes along. */
function buffersOf(given: unknown): Transferable[] {
  if (typeof given !== 'object' || !('outcome' in (given ?? {}))) return [];
  const { outcome, keys, values } = given as SortedCopy;
  return [outcome.permutation, keys, values].flatMap((array) =>
    array === undefined ? [] : [array.buffer as ArrayBuffer],
  );
}
