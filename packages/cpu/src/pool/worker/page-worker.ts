/**
 * The code of a page's worker, `@keysweep/cpu/worker`: a member of a crew in shared memory, or alone
 * with arrays that are sent to it. The build makes one file of it, which needs no bundler and no import map.
 */

import { runAtOnce, type SortRequest } from '@keysweep/core';
import type { CpuKernels } from '@keysweep/kernels/cpu';
import { sortPlain } from '../../fallback/plain.js';
import { linkKernels } from '../../sort/arena.js';
import { sortInArena } from '../../sort/columns.js';
import { type Alone, alone, touch, whyPlain } from '../calling-thread.js';
import { type CrewData, doTask } from '../task.js';
import type { Parcel, Question, Questions, Reply, SortedParcel } from './messages.js';

/** What is used of a worker's global scope, which the types of a page do not know. */
interface Scope {
  addEventListener(type: 'message', listener: (event: MessageEvent<Question>) => void): void;
  postMessage(reply: Reply, transfer: readonly Transferable[]): void;
}

const scope = globalThis as unknown as Scope;

let crew: (CrewData & { readonly kernels: CpuKernels }) | undefined;
let own: Alone | undefined;

/** Questions are answered one behind the other, though an answer may have to wait. */
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
  question: Question,
): Questions[Question['kind']]['answer'] | Promise<Questions[Question['kind']]['answer']> {
  switch (question.kind) {
    case 'greet':
      return hold(question.ask);
    case 'join':
      crew = { ...question.ask, kernels: linkKernels(question.ask.module, question.ask.memory) };
      return undefined;
    case 'task':
      if (crew === undefined) throw new Error('a task for a worker that is in no crew');
      return doTask(question.ask, crew.kernels, crew.memory);
    case 'serve':
      return serve(question.ask);
    case 'touch':
      own ??= alone();
      touch(own.arena, question.ask);
      return undefined;
  }
}

/** Holds a lock for life; says whether there are locks here. */
function hold(name: string | undefined): Promise<boolean> | boolean {
  const locks: LockManager | undefined = navigator.locks;
  if (name === undefined || locks === undefined) return false;
  return new Promise((resolve, reject) => {
    const forLife = new Promise<never>(() => {});
    const onHeld = (): Promise<never> => {
      resolve(true);
      return forLife;
    };
    locks.request(name, onHeld).catch(reject);
  });
}

async function serve({ plain, tells, ...parcel }: Parcel): Promise<SortedParcel> {
  const { shape, columns, values } = parcel;
  // What this thread copies into and out of its own memory is part of the sort.
  const onProgress: SortRequest['onProgress'] = (progress) => {
    if (progress.phase === 'sort') scope.postMessage({ progress }, []);
  };
  const request = { ...parcel, signal: undefined, onProgress: tells ? onProgress : undefined };
  const sort = async () => {
    // A worker's own content security policy may rule WebAssembly out where the page's does not.
    if (plain || whyPlain() !== undefined) return runAtOnce(sortPlain(request));
    own ??= alone();
    return sortInArena(request, own.arena, 1, own.run);
  };
  const outcome = await sort();
  return { outcome, keys: shape.operation === 'argsort' ? undefined : columns[0], values };
}

/** The buffers that an answer takes along. */
function buffersOf(given: unknown): Transferable[] {
  if (typeof given !== 'object' || !('outcome' in (given ?? {}))) return [];
  const { outcome, keys, values } = given as SortedParcel;
  return [outcome.permutation, keys, values].flatMap((array) =>
    array === undefined ? [] : [array.buffer as ArrayBuffer],
  );
}
