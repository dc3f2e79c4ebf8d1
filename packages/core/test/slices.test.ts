import { checked, copySteps, pauses, runAtOnce, runInSlices, slicesOf } from '@keysweep/core';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

function* steps(log: string[]): Generator<undefined, string> {
  for (const step of ['one', 'two']) {
    log.push(step);
    yield;
  }
  return 'done';
}

describe('steps', () => {
  it('run to their end at once', () => {
    const log: string[] = [];
    expect(runAtOnce(steps(log))).toBe('done');
    expect(log).toEqual(['one', 'two']);
  });

  it('wait for a pause that is given', async () => {
    const log: string[] = [];
    const pauses = [undefined, Promise.resolve().then(() => log.push('pause'))];
    expect(await runInSlices(steps(log), () => pauses.shift())).toBe('done');
    expect(log).toEqual(['one', 'two', 'pause']);
  });

  it('end if a check throws', () => {
    const log: string[] = [];
    const check = (): void => {
      throw new Error('enough');
    };
    expect(() => runAtOnce(checked(steps(log), check))).toThrow('enough');
    expect(log).toEqual(['one']);
  });
});

it('pauses come once per 5 ms of work', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const pause = pauses();
  const paused: number[] = [];
  for (let millisecond = 1; millisecond <= 20; millisecond++) {
    vi.advanceTimersByTime(1);
    const pausing = pause();
    if (pausing === undefined) continue;
    paused.push(millisecond);
    // Time that other work takes is none of the slice.
    vi.advanceTimersByTime(100);
    await pausing;
  }
  expect(paused).toEqual([5, 10, 15, 20]);
});

it('pauses come before a step like the last one would take more than 5 ms', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const pause = pauses();
  const paused: number[] = [];
  for (let step = 1; step <= 6; step++) {
    vi.advanceTimersByTime(2);
    const pausing = pause();
    if (pausing !== undefined) paused.push(step);
    await pausing;
  }
  expect(paused).toEqual([2, 4, 6]);
});

it('work that follows other work in one task gets the rest of its slice', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = pauses();
  for (let step = 0; step < 3; step++) {
    vi.advanceTimersByTime(1);
    expect(first()).toBe(undefined);
  }
  const second = pauses();
  vi.advanceTimersByTime(1);
  expect(second()).toBe(undefined);
  vi.advanceTimersByTime(1);
  expect(second()).toBeInstanceOf(Promise);
});

describe('copySteps', () => {
  it('copies between arrays of any widths, and yields between mebibytes', () => {
    const bytes = Int8Array.from({ length: 300_000 }, (_, i) => i);
    const words = new Int32Array(300_002).fill(7);
    expect([...copySteps(words, bytes, 1)].length).toBe(1);
    expect(words.at(0)).toBe(7);
    expect(words.at(-1)).toBe(7);
    expect(bytes.every((byte, i) => words[i + 1] === byte)).toBe(true);
    expect(words[129]).toBe(-128);
  });
});

describe('slicesOf', () => {
  it('covers all, the last one shorter', () => {
    expect([...slicesOf(5, 2)]).toEqual([
      [0, 2],
      [2, 4],
      [4, 5],
    ]);
    expect([...slicesOf(0, 2)]).toEqual([]);
  });
});
