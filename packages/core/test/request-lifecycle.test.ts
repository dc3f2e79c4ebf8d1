import { untilAborted } from '@keysweep/core';
import { describe, expect, it, vi } from 'vitest';

const reason = new Error('enough');

describe('untilAborted', () => {
  it('resolves or rejects as the work does, and leaves no listener', async () => {
    const { signal } = new AbortController();
    const remove = vi.spyOn(signal, 'removeEventListener');
    expect(await untilAborted(Promise.resolve(3), signal)).toBe(3);
    const failure = new Error('it broke');
    await expect(untilAborted(Promise.reject(failure), signal)).rejects.toBe(failure);
    expect(remove).toHaveBeenCalledTimes(2);
  });

  it.each(['before', 'meanwhile'])('rejects when aborted %s, and hears the work', async (when) => {
    const controller = new AbortController();
    if (when === 'before') controller.abort(reason);
    let fail: (error: Error) => void = () => {};
    const work = new Promise<never>((_, reject) => {
      fail = reject;
    });
    // A rejection that nobody hears ends a process.
    const then = vi.spyOn(work, 'then');
    const waiting = untilAborted(work, controller.signal);
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    const heard = then.mock.calls.filter(([, onRejected]) => typeof onRejected === 'function');
    expect(heard).toHaveLength(1);
    fail(new Error('late'));
  });
});
