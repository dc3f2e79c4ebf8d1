/** The jobs that a worker is at: when they end, and the reason of a sort that has failed. */

import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { whyFailed } from '../dist/jobs/why-failed.js';
import { ActiveJobs } from '../dist/work/active-jobs.js';

describe('the jobs of a worker', () => {
  const ID = '00000000-0000-4000-8000-000000000001';
  const OTHER = '00000000-0000-4000-8000-000000000002';

  /** A worker at a job of the sort ID, whose parent is looked up in a store that answers late. */
  function atWork() {
    const asked: string[] = [];
    const answers: ((job: unknown) => void)[] = [];
    const moved: string[] = [];
    class WaitingError extends Error {}
    class UnrecoverableError extends Error {}
    const store = {
      queue: {
        getJob: (id: string) => {
          asked.push(id);
          return new Promise((resolve) => answers.push(resolve));
        },
      },
      errors: { WaitingError, UnrecoverableError },
      clean: (error: unknown) => error as Error,
    };
    const job = {
      ...{ id: 'a-job', name: 'sample', opts: {}, data: { parent: ID, index: 0 } },
      moveToWait: async (token: string) => void moved.push(token),
    };
    const context = { store, storage: {}, sorter: {}, name: 'w', roots: {} } as never;
    const active = new ActiveJobs();
    const running = active.run(context, job as never, 'token');
    running.catch(() => {});
    return { active, store, context, asked, answers, moved, running };
  }

  it('are given back when it ends, at no cost to their attempts', async () => {
    const { active, store, answers, moved, running } = atWork();
    active.endAll();
    answers[0]?.(undefined);
    await expect(running).rejects.toThrow(store.errors.WaitingError);
    expect(moved).toEqual(['token']);
  });

  it('are tried no more once their sort has ended', async () => {
    const { store, answers, moved, running } = atWork();
    answers[0]?.(undefined);
    await expect(running).rejects.toThrow(store.errors.UnrecoverableError);
    await expect(running).rejects.toThrow('the sort has ended');
    expect(moved).toEqual([]);
  });

  it('are asked about while they are done, and never after', async () => {
    const { active, store, asked, answers, running } = atWork();
    const looking = active.endUnwanted(store as never);
    expect(asked).toEqual([ID, ID]);
    answers[1]?.(undefined);
    await looking;
    answers[0]?.({ data: {} });
    await expect(running).rejects.toThrow(store.errors.UnrecoverableError);
    asked.length = 0;
    const after = active.endUnwanted(store as never);
    active.endAll();
    active.endLost(['a-job']);
    expect(asked).toEqual([]);
    await after;
  });

  it('of an unwanted sort all end, and none of another sort', async () => {
    const { active, store, context, asked, answers, running } = atWork();
    const more = [ID, ID, OTHER].map((parent, index) => {
      const job = { id: `job-${index}`, name: 'sample', opts: {}, data: { parent, index } };
      return active.run(context, job as never, 'token');
    });
    const all = Promise.allSettled([running, ...more]);
    expect(asked).toEqual([ID, ID, ID, OTHER]);
    const looking = active.endUnwanted(store as never);
    answers[4]?.(undefined);
    await delay(1);
    answers[5]?.({ data: {} });
    await looking;
    // However many jobs a sort has, the store is asked about it once.
    expect(asked.slice(4)).toEqual([ID, OTHER]);
    // A job that was not ended has failed by this, and may be tried again.
    for (const answer of answers.slice(0, 4)) answer(Promise.reject(new Error('no store')));
    const isFinal = (await all).map(
      (end) => end.status === 'rejected' && end.reason instanceof store.errors.UnrecoverableError,
    );
    expect(isFinal).toEqual([true, true, true, false]);
  });

  it('go on for a sort that goes on, and end alone when they are lost', async () => {
    const { active, store, answers, moved, running } = atWork();
    const looking = active.endUnwanted(store as never);
    answers[1]?.({ data: {} });
    await looking;
    active.endLost(['another']);
    active.endLost(['a-job']);
    answers[0]?.({ data: { cancelled: true } });
    await expect(running).rejects.toThrow('the sort has ended');
    expect(moved).toEqual([]);
  });
});

it('a sort has failed for the reason of its first child that has, or its own', () => {
  const child = (parent: unknown, finishedOn: number | undefined, failedReason: string) => ({
    ...{ name: 'partition', attemptsMade: 3, finishedOn, failedReason },
    data: parent === null ? null : { parent },
  });
  const parent = { id: 'a', name: 'whole sort', attemptsMade: 1, failedReason: 'its own' };
  const others = [child('b', 1, 'another sort'), child(null, 2, 'no data')];
  const own = [
    child('a', 9, 'the sort has ended'),
    child('a', 5, 'a\nbad disk'),
    child('a', 7, 'x'),
  ];
  const why = (failed: object[]) => whyFailed(parent as never, failed as never);
  expect(why([...others, ...own])).toBe('partition failed after 3 attempts: a bad disk');
  expect(why(others)).toBe('whole sort failed after 1 attempts: its own');
});
