/** The work queue, by two threads of which one may come late. */

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { runAtOnce } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import {
  CountsOverwritten,
  JobStopped,
  queueBytes,
  type Spin,
  WorkQueue,
} from '../src/arena/work-queue.js';

const PHASES = 4;

/** Where in memory they lie. */
const AT = 64;

function queues(timeout = Number.POSITIVE_INFINITY, spin?: Spin): [WorkQueue, WorkQueue] {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  expect(queueBytes(PHASES)).toBeLessThan(65_536);
  const place = { queueAt: AT, phases: PHASES, threads: 2 };
  const make = (): WorkQueue => new WorkQueue(memory, place, timeout, spin);
  return [make(), make()];
}

describe('a work queue', () => {
  it('tells a thread that counts were overwritten before it had read them', () => {
    const [early, late] = queues();
    early.markCounted(1, 0);
    expect(() => late.assertCounted(1, 0)).not.toThrow();
    early.markCounted(2, 1);
    expect(() => late.assertCounted(1, 0)).not.toThrow();
    early.markCounted(3, 0);
    expect(() => late.assertCounted(1, 0)).toThrow(CountsOverwritten);
    expect(() => late.assertCounted(2, 1)).not.toThrow();
    expect(() => late.assertCounted(3, 0)).not.toThrow();
  });

  it('keeps what it notes apart from the pieces of its phases', () => {
    const [queue, other] = queues();
    queue.markStaged(2);
    queue.join();
    queue.decideEarly('write');
    queue.decide('write');
    queue.addDone(5);
    for (const table of [0, 1]) queue.markCounted(table + 1, table);
    for (let phase = 0; phase < PHASES; phase++) {
      const pieces: number[] = [];
      runAtOnce(queue.runPhase(phase, 3, (piece) => pieces.push(piece)));
      expect([phase, pieces]).toEqual([phase, [0, 1, 2]]);
    }
    expect([other.joined, other.recordsDone]).toEqual([1, 5]);
    expect([other.earlyDecision(), other.awaitDecision()]).toEqual(['write', 'write']);
    expect(() => other.awaitStaged(2)).not.toThrow();
    expect(() => other.assertCounted(1, 0)).not.toThrow();
  });

  it('lets a late thread go on when the others have sorted', () => {
    const [early, late] = queues();
    for (const place of ['records', 'spare', 'written'] as const) {
      early.markSorted(place);
      expect(runAtOnce(late.awaitSorted())).toBe(place);
    }
  });

  it('puts a decision off that the calling thread has not made', () => {
    const [leader, other] = queues();
    expect(other.earlyDecision()).toBe('later');
    leader.decideEarly('write');
    expect(leader.earlyDecision()).toBe('later');
    leader.decide('write');
    expect(other.awaitDecision()).toBe('write');
  });

  it('keeps a decision that was made in time', () => {
    for (const decision of ['write', 'leave'] as const) {
      const [leader, other] = queues();
      leader.decideEarly(decision);
      expect(other.earlyDecision()).toBe(decision);
      leader.decide(decision);
      expect(other.awaitDecision()).toBe(decision);
    }
  });

  it('ends the wait for a decision if the job is stopped', () => {
    const [leader, other] = queues();
    leader.stop();
    expect(() => other.awaitDecision()).toThrow(JobStopped);
  });

  it('gives each piece to one thread, and none of a finished phase to a late one', () => {
    const [early, late] = queues();
    const done: number[] = [];
    runAtOnce(early.runPhase(0, 3, (piece) => done.push(piece)));
    runAtOnce(late.runPhase(0, 3, () => expect.unreachable()));
    expect(done).toEqual([0, 1, 2]);
  });

  it('stops all threads when one fails, or does not finish a piece in time', () => {
    const [broken, other] = queues();
    const fail = (): never => {
      throw new Error('broken');
    };
    expect(() => runAtOnce(broken.runPhase(0, 2, fail))).toThrow('broken');
    expect(() => runAtOnce(other.runPhase(0, 2, () => {}))).toThrow(JobStopped);
    const [begun, waiting] = queues(30);
    const work = begun.runPhase(0, 2, () => {
      runAtOnce(waiting.runPhase(0, 2, () => {}));
    });
    expect(() => runAtOnce(work)).toThrow(/did not finish its piece within 30 ms/);
  });

  it('goes on waiting for a slow thread as long as that finishes pieces', async () => {
    const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    const place = { queueAt: AT, phases: PHASES, threads: 2 };
    // The other thread claims all pieces but the first, and takes longer for them all than the
    // queue waits for one.
    const pieces = 8;
    const program = `
      const { workerData: { memory, done, pieces } } = require('node:worker_threads');
      const words = new Int32Array(memory.buffer);
      for (let piece = 1; piece < pieces; piece++) {
        Atomics.wait(words, 0, 0, 250);
        Atomics.add(words, done, 1);
        Atomics.notify(words, done);
      }
    `;
    // Two words a phase are at the end of a queue: pieces claimed, and pieces done.
    const end = AT / 4 + queueBytes(PHASES) / 4;
    const [claimed, done] = [end - 2, end - 1];
    const words = new Int32Array(memory.buffer);
    words[claimed] = pieces - 1;
    const thread = new Worker(program, { eval: true, workerData: { memory, done, pieces } });
    await once(thread, 'online');
    const mine: number[] = [];
    const queue = new WorkQueue(memory, place, 1000);
    runAtOnce(queue.runPhase(PHASES - 1, pieces, (piece) => mine.push(piece)));
    expect(mine).toEqual([pieces - 1]);
    expect(words[done]).toBe(pieces);
    await once(thread, 'exit');
  });

  it('lets threads wait for staged slices, unless the job is stopped', () => {
    const [caller, thread] = queues();
    caller.markStaged(2);
    thread.awaitStaged(1);
    thread.awaitStaged(2);
    caller.stop();
    expect(() => thread.awaitStaged(3)).toThrow(JobStopped);
  });

  it('spins before it sleeps', () => {
    const seen: number[] = [];
    const [caller, thread] = queues(Number.POSITIVE_INFINITY, (address, staged) => {
      expect(address).toBeGreaterThanOrEqual(AT);
      expect(address % 4).toBe(0);
      seen.push(staged);
      // No other thread is there to wake it.
      caller.markStaged(staged + 1);
      return staged + 1;
    });
    thread.awaitStaged(3);
    expect(seen).toEqual([0, 1, 2]);
  });

  it('yields once a millisecond, not after each piece', () => {
    const count = (pieces: number, milliseconds: number): number => {
      const [queue] = queues();
      const work = (): void => {
        const until = performance.now() + milliseconds;
        while (performance.now() < until);
      };
      return [...queue.runPhase(0, pieces, work)].length;
    };
    expect(count(1000, 0)).toBeLessThan(100);
    expect(count(10, 2)).toBe(10);
  });

  it('waits for other threads to join, but not for long', () => {
    const [first, second] = queues();
    first.join();
    first.awaitThreads(2);
    second.join();
    second.awaitThreads(2);
  });
});
