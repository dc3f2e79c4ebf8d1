/** Threads that come late to what the others share. */

import { runAtOnce } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { Board, boardBytes, FellBehind, JobStopped, type Spin } from '../src/pool/work-queue.js';

const PHASES = 4;

/** Where in memory they lie. */
const AT = 64;

function boards(patience = Number.POSITIVE_INFINITY, spin?: Spin): [Board, Board] {
  const memory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
  expect(boardBytes(PHASES)).toBeLessThan(65_536);
  const make = (): Board => new Board(memory, AT, PHASES, patience, spin);
  return [make(), make()];
}

describe('a board', () => {
  it('tells a thread that counts were overwritten before it had read them', () => {
    const [early, late] = boards();
    early.overwrite(1, 0);
    expect(() => late.assertCounted(1, 0)).not.toThrow();
    early.overwrite(2, 1);
    expect(() => late.assertCounted(1, 0)).not.toThrow();
    early.overwrite(3, 0);
    expect(() => late.assertCounted(1, 0)).toThrow(FellBehind);
    expect(() => late.assertCounted(2, 1)).not.toThrow();
    expect(() => late.assertCounted(3, 0)).not.toThrow();
  });

  it('lets it go on when the others have sorted', () => {
    const [early, late] = boards();
    early.finishSorting();
    runAtOnce(late.awaitSorted());
  });

  it('gives each piece to one thread, and none that is done to a late one', () => {
    const [early, late] = boards();
    const done: number[] = [];
    runAtOnce(early.share(0, 3, (piece) => done.push(piece)));
    runAtOnce(late.share(0, 3, () => expect.unreachable()));
    expect(done).toEqual([0, 1, 2]);
  });

  it('ends the work of all when one fails, or does not finish what it has begun', () => {
    const [broken, other] = boards();
    const fail = (): never => {
      throw new Error('broken');
    };
    expect(() => runAtOnce(broken.share(0, 2, fail))).toThrow('broken');
    expect(() => runAtOnce(other.share(0, 2, () => {}))).toThrow(JobStopped);
    const [begun, waiting] = boards(30);
    const work = begun.share(0, 2, () => {
      runAtOnce(waiting.share(0, 2, () => {}));
    });
    expect(() => runAtOnce(work)).toThrow(/did not finish its piece within 30 ms/);
  });

  it('has threads wait for what is staged, unless the job is stopped', () => {
    const [caller, thread] = boards();
    caller.stage(2);
    thread.awaitStaged(1);
    thread.awaitStaged(2);
    caller.stop();
    expect(() => thread.awaitStaged(3)).toThrow(JobStopped);
  });

  it('has a thread look again before it goes to sleep', () => {
    const seen: number[] = [];
    const [caller, thread] = boards(Number.POSITIVE_INFINITY, (address, staged) => {
      expect(address).toBeGreaterThanOrEqual(AT);
      expect(address % 4).toBe(0);
      seen.push(staged);
      // Nobody is there to wake it.
      caller.stage(staged + 1);
      return staged + 1;
    });
    thread.awaitStaged(3);
    expect(seen).toEqual([0, 1, 2]);
  });

  it('pauses when a while has passed, not after each piece', () => {
    const count = (pieces: number, milliseconds: number): number => {
      const [board] = boards();
      const work = (): void => {
        const until = performance.now() + milliseconds;
        while (performance.now() < until);
      };
      return [...board.share(0, pieces, work)].length;
    };
    expect(count(1000, 0)).toBeLessThan(100);
    expect(count(10, 2)).toBe(10);
  });

  it('has a thread rest for others, but not for long', () => {
    const [first, second] = boards();
    first.arrive();
    first.rest(2);
    second.arrive();
    second.rest(2);
  });
});
