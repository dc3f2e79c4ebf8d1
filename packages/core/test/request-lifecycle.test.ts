import { Clock, GpuRequest, plainRequest, untilAborted } from '@keysweep/core';
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

describe('the lifecycle of a request', () => {
  const begun = () => {
    const controller = new AbortController();
    const keys = Uint32Array.of(2, 1);
    const request = { ...plainRequest('sort', keys), signal: controller.signal };
    const remove = vi.spyOn(controller.signal, 'removeEventListener');
    return { controller, keys, remove, lifecycle: new GpuRequest(request, () => 0) };
  };
  const results = (target: Uint32Array) => [
    { name: 'keys', target, length: 2, bits: Uint32Array.of(1, 2) },
  ];

  it.each(['goOn', 'enter', 'commit', 'commitBy'] as const)(
    'ends by an abort: %s',
    async (step) => {
      const { controller, keys, lifecycle } = begun();
      const write = vi.fn();
      const steps = {
        goOn: () => lifecycle.goOn(),
        enter: () => lifecycle.enter('sort'),
        commit: () => lifecycle.commit(results(keys)),
        commitBy: () => lifecycle.commitBy(write),
      };
      controller.abort(reason);
      await expect((async () => steps[step]())()).rejects.toBe(reason);
      expect(write).not.toHaveBeenCalled();
      expect([...keys]).toEqual([2, 1]);
    },
  );

  it.each(['commit', 'commitBy'] as const)('does not end by one after %s', async (step) => {
    const { controller, keys, lifecycle, remove } = begun();
    const putBack = vi.fn();
    lifecycle.undoBy(putBack);
    const answered = lifecycle.answer(
      (async () => {
        if (step === 'commit') await lifecycle.commit(results(keys));
        else lifecycle.commitBy(() => keys.sort());
        controller.abort(reason);
        await new Promise(setImmediate);
        return 'served';
      })(),
    );
    expect(await answered).toBe('served');
    expect([...keys]).toEqual([1, 2]);
    expect(putBack).not.toHaveBeenCalled();
    expect(remove).toHaveBeenCalled();
  });

  it('puts back what was written, once, when it ends before the commit', async () => {
    const { controller, lifecycle } = begun();
    const putBack = vi.fn();
    lifecycle.undoBy(putBack);
    const answered = lifecycle.answer(new Promise<never>(() => {}));
    controller.abort(reason);
    expect(putBack).toHaveBeenCalledTimes(1);
    await expect(answered).rejects.toBe(reason);
    lifecycle.undo();
    expect(putBack).toHaveBeenCalledTimes(1);
  });

  it('adds up the times of a phase that comes again', () => {
    let now = 5;
    const lifecycle = new GpuRequest(plainRequest('sort', new Uint32Array(2)), () => now);
    for (const [phase, until] of [
      ['upload', 6],
      ['sort', 9],
      ['upload', 13],
    ] as const) {
      now = until;
      lifecycle.enter(phase);
    }
    now = 21;
    expect(lifecycle.stop()).toEqual({ queue: 1, upload: 3 + 8, sort: 4 });
  });

  it('takes the times that others have measured in place of its own', () => {
    let now = 5;
    const clock = new Clock(() => now);
    now = 8;
    clock.lap('upload');
    now = 20;
    clock.take({ sort: 7, readback: 2 });
    now = 21;
    clock.lap('readback');
    expect(clock.phases).toEqual({ upload: 3, sort: 7, readback: 3 });
  });
});
