/** Threads that the calling thread starts beside its own sorts, of sorters made up for it. */

import { BackendFailedError, RequestQueue } from '@keysweep/core';
import { expect, it, vi } from 'vitest';
import type { LargeSorter } from '../src/pool/large-sorter.js';
import { LargeSorterInUse } from '../src/pool/large-sorter-in-use.js';
import type { LargeSorterStarter } from '../src/pool/large-sorter-starter.js';

function promiseOf() {
  let [resolve, reject] = [() => {}, (_: Error) => {}];
  const promise = new Promise<void>((...ends) => {
    [resolve, reject] = ends;
  });
  return { promise, resolve, reject };
}

/** A large sorter that does nothing; `own` is what it does otherwise. */
const sorter = (own: Partial<LargeSorter>): LargeSorter =>
  ({
    bytes: 0,
    started: Promise.resolve(),
    failedToStart: false,
    failure: undefined,
    idle: async () => {},
    close: async () => {},
    ...own,
  }) as LargeSorter;

it('goes on to the next way if threads neither start nor end', async () => {
  const failure = new BackendFailedError('cpu', 'no thread');
  const started = Promise.reject(failure);
  started.catch(() => {});
  const close = vi.fn(() => Promise.reject(new Error('cannot end a thread')));
  const broken = sorter({ started, failedToStart: true, failure, close });
  const sorters = [broken, sorter({})];
  const ways = {
    threads: 2,
    hasKernels: true,
    start: async () => sorters.shift(),
    drop: () => {},
  };
  const current = new LargeSorterInUse(ways as unknown as LargeSorterStarter, new RequestQueue());
  await current.useCallingThread(async () => {});
  await vi.waitFor(() => expect(current.threads).toBe(2));
  expect(close).toHaveBeenCalledTimes(1);
  expect(sorters).toEqual([]);
});

it.each(['have their code by then', 'fail by that'] as const)(
  'starts no others if threads are released while they start, and %s',
  async (end) => {
    const { promise: started, resolve, reject } = promiseOf();
    const failure = new BackendFailedError('cpu', 'closed');
    const close = async (): Promise<void> => (end === 'fail by that' ? reject(failure) : resolve());
    const start = vi.fn(async () => sorter({ started, failedToStart: true, close }));
    const ways = { threads: 2, hasKernels: true, start, drop: () => {} };
    const queue = new RequestQueue();
    const current = new LargeSorterInUse(ways as unknown as LargeSorterStarter, queue);
    await current.useCallingThread(async () => {});
    await vi.waitFor(() => expect(start).toHaveBeenCalled());
    await queue.after(() => current.dismiss());
    await new Promise((later) => setTimeout(later, 20));
    expect(start).toHaveBeenCalledTimes(1);
  },
);

it.each(['after a sort', 'after short ones'] as const)(
  'starts none if all is given back %s, before threads would start',
  async (when) => {
    const start = vi.fn(async () => sorter({}));
    const ways = { threads: 2, hasKernels: true, start, drop: () => {} };
    const current = new LargeSorterInUse(ways as unknown as LargeSorterStarter, new RequestQueue());
    if (when === 'after a sort') await current.useCallingThread(async () => {});
    else current.noteAlone(2 ** 26);
    await current.dismiss();
    await new Promise((later) => setTimeout(later, 20));
    expect(start).not.toHaveBeenCalled();
    expect([current.isCold, current.bytes]).toEqual([true, 0]);
  },
);

it('a large sorter that has failed is dismissed at once; one that has not stays', async () => {
  const close = vi.fn(async () => {});
  let failure: unknown;
  const one = Object.defineProperty(sorter({ close }), 'failure', { get: () => failure });
  const starts: unknown[] = [one, new BackendFailedError('cpu', 'no memory'), sorter({})];
  const start = async (): Promise<LargeSorter> => {
    const next = starts.shift();
    if (next instanceof Error) throw next;
    return next as LargeSorter;
  };
  const ways = { threads: 2, hasKernels: true, start, drop: () => {} };
  const current = new LargeSorterInUse(ways as unknown as LargeSorterStarter, new RequestQueue());
  const fails = (error: Error) => current.use(() => Promise.reject(error));
  await expect(fails(new Error('its own'))).rejects.toThrow('its own');
  expect(close).not.toHaveBeenCalled();
  const broken = current.use(async () => {
    failure = new Error('a thread is gone');
    throw failure;
  });
  await expect(broken).rejects.toThrow('a thread is gone');
  expect(close).toHaveBeenCalledTimes(1);
  failure = undefined;
  // One that cannot be made rejects with what it says, and the next call makes another.
  await expect(current.use(async () => {})).rejects.toThrow('no memory');
  expect(await current.use(async () => 7)).toBe(7);
  expect(starts).toEqual([]);
});
