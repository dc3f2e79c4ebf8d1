/** The order in which a queue serves requests. */

import { plainRequest, plainShape, RequestQueue, type SortRequest } from '@keysweep/core';
import { describe, expect, it } from 'vitest';

const request = (length: number, signal?: AbortSignal): SortRequest => ({
  ...plainRequest('sort', new Uint32Array(0)),
  shape: plainShape('sort', 'u32', length),
  signal,
});

/** A queue whose requests note their length when they are served. */
function recordingQueue() {
  const queue = new RequestQueue();
  const served: (number | string)[] = [];
  const all: Promise<unknown>[] = [];
  return {
    served,
    add(length: number, signal?: AbortSignal): void {
      const work = async (): Promise<void> => void served.push(length);
      all.push(queue.serve(request(length, signal), work).catch(() => served.push('aborted')));
    },
    bar(): void {
      all.push(queue.after(async () => void served.push('bar')));
    },
    done: () => Promise.all(all),
  };
}

describe('a request queue', () => {
  it('serves short requests before long ones, but after the one that is being served', async () => {
    const { add, served, done } = recordingQueue();
    for (const length of [1000, 900, 800, 10, 20, 15, 5]) add(length);
    await done();
    // 800 keys are not much less than 900.
    expect(served).toEqual([1000, 5, 10, 20, 15, 900, 800]);
  });

  it('lets at most eight times its keys pass a request', async () => {
    const { add, served, done } = recordingQueue();
    add(1);
    add(100);
    for (let i = 0; i < 70; i++) add(15);
    await done();
    // 53 times 15 are 795; one more would be more than 800.
    expect(served.indexOf(100)).toBe(54);
  });

  it('keeps requests of one length in order, and work after all that came before', async () => {
    const { add, bar, served, done } = recordingQueue();
    add(5);
    add(50);
    bar();
    add(1);
    await done();
    expect(served).toEqual([5, 50, 'bar', 1]);
  });

  it('goes on when a waiting request is aborted or a served one rejects', async () => {
    const { add, served, done } = recordingQueue();
    const controller = new AbortController();
    add(9);
    add(8, controller.signal);
    add(7);
    controller.abort();
    await done();
    expect(served).toEqual([9, 'aborted', 7]);
    const queue = new RequestQueue();
    const failing = queue.serve(request(1), () => Promise.reject(new Error('failed')));
    const next = queue.serve(request(1), async () => 'served');
    await expect(failing).rejects.toThrow('failed');
    await expect(next).resolves.toBe('served');
  });

  it('goes on when a request is aborted in the moment in which its turn comes', async () => {
    const queue = new RequestQueue();
    const controller = new AbortController();
    let end = (): void => {};
    const first = queue.serve(request(1), () => new Promise<void>((resolve) => (end = resolve)));
    const second = queue.serve(request(1, controller.signal), async () => 2);
    const third = queue.serve(request(1), async () => 3);
    const turn = (): Promise<unknown> => new Promise(setImmediate);
    await turn();
    // It leaves the queue some microtasks later, and has been let in by then.
    end();
    controller.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    await first;
    expect(await Promise.race([third, turn()])).toBe(3);
  });

  it('says that a request waits, if it does', async () => {
    const queue = new RequestQueue();
    const told: unknown[] = [];
    const onProgress: SortRequest['onProgress'] = (progress) => void told.push(progress);
    const first = queue.serve({ ...request(1), onProgress }, async () => told.length);
    const second = queue.serve({ ...request(1), onProgress }, async () => told.length);
    expect(await Promise.all([first, second])).toEqual([1, 1]);
    expect(told).toEqual([{ phase: 'queue', completed: 0, total: 1 }]);
  });

  it('stays free when a request was aborted before it came', async () => {
    const queue = new RequestQueue();
    const aborted = queue.serve(request(1, AbortSignal.abort(new Error('enough'))), async () => 1);
    await expect(aborted).rejects.toThrow('enough');
    await expect(queue.serve(request(1), async () => 2)).resolves.toBe(2);
  });
});
