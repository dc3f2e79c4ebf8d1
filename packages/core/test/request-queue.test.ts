/** Who waits for whom. */

import { plainRequest, plainShape, type SortRequest, Turns } from '@keysweep/core';
import { describe, expect, it } from 'vitest';

const request = (length: number, signal?: AbortSignal): SortRequest => ({
  ...plainRequest('sort', new Uint32Array(0)),
  shape: plainShape('sort', 'u32', length),
  signal,
});

/** Turns whose requests note their length when they are served. */
function noting() {
  const turns = new Turns();
  const served: (number | string)[] = [];
  const all: Promise<unknown>[] = [];
  return {
    served,
    add(length: number, signal?: AbortSignal): void {
      const work = async (): Promise<void> => void served.push(length);
      all.push(turns.serve(request(length, signal), work).catch(() => served.push('aborted')));
    },
    bar(): void {
      all.push(turns.after(async () => void served.push('bar')));
    },
    done: () => Promise.all(all),
  };
}

describe('turns', () => {
  it('let short requests pass long ones, but not the one that is being served', async () => {
    const { add, served, done } = noting();
    for (const length of [1000, 900, 800, 10, 20, 15, 5]) add(length);
    await done();
    // 800 keys are not much less than 900.
    expect(served).toEqual([1000, 5, 10, 20, 15, 900, 800]);
  });

  it('let no more pass a long one than eight times its keys', async () => {
    const { add, served, done } = noting();
    add(1);
    add(100);
    for (let i = 0; i < 70; i++) add(15);
    await done();
    // 53 times 15 are 795; one more would be more than 800.
    expect(served.indexOf(100)).toBe(54);
  });

  it('keep those of the same length in order, and what is to be done after all before', async () => {
    const { add, bar, served, done } = noting();
    add(5);
    add(50);
    bar();
    add(1);
    await done();
    expect(served).toEqual([5, 50, 'bar', 1]);
  });

  it('go on when one that waits is aborted, or one that is served rejects', async () => {
    const { add, served, done } = noting();
    const controller = new AbortController();
    add(9);
    add(8, controller.signal);
    add(7);
    controller.abort();
    await done();
    expect(served).toEqual([9, 'aborted', 7]);
    const turns = new Turns();
    const failing = turns.serve(request(1), () => Promise.reject(new Error('failed')));
    const next = turns.serve(request(1), async () => 'served');
    await expect(failing).rejects.toThrow('failed');
    await expect(next).resolves.toBe('served');
  });

  it('are nobody’s when they were given up as soon as they came', async () => {
    const turns = new Turns();
    const aborted = turns.serve(request(1, AbortSignal.abort(new Error('enough'))), async () => 1);
    await expect(aborted).rejects.toThrow('enough');
    await expect(turns.serve(request(1), async () => 2)).resolves.toBe(2);
  });
});
