/** Starting threads in pages, with workers in the place of those of an engine. */

import { makeRequest } from '@keysweep/conformance/suite';
import { afterEach, expect, it, vi } from 'vitest';
import { Arena } from '../dist/arena/arena.js';
import type { Executor, Way } from '../dist/pool/executor.js';
import { THREADS } from '../dist/pool/threads-web.js';

afterEach(() => vi.unstubAllGlobals());

/** Starts two threads from a Blob. */
function startInBlob(Own: unknown): Promise<Executor> {
  vi.stubGlobal('Worker', Own);
  const options = { threads: 2, plain: false, createWorker: undefined, workerUrl: undefined };
  const inBlob = THREADS.ways(options).find(({ name }) => name === 'a Blob') as Way;
  return inBlob.start(options, () => new Arena());
}

/** Answers nothing. */
class Silent extends EventTarget {
  postMessage(_: unknown): void {}
  terminate(): void {}
}

it('a Blob is started as a module where no plain script can be', async () => {
  const started: unknown[] = [];
  class Modules extends Silent {
    constructor(_: string, { type }: { type?: string }) {
      super();
      if (type !== 'module') throw new DOMException('no such workers', 'NotSupportedError');
      started.push(type);
    }
  }
  const executor = await startInBlob(Modules);
  await executor.close();
  expect(started).toEqual(['module', 'module']);
});

it('a worker that is lost while keys are copied in rejects the sort and nothing else', async () => {
  class Lost extends Silent {
    override postMessage({ kind }: { kind: string }): void {
      if (kind === 'task') queueMicrotask(() => this.dispatchEvent(new Event('error')));
    }
  }
  const unhandled: unknown[] = [];
  const listen = (reason: unknown): unknown => unhandled.push(reason);
  process.on('unhandledRejection', listen);
  const executor = await startInBlob(Lost);
  // Copied in slices, between which the event loop turns.
  const request = makeRequest('sort', [new Uint32Array(2 ** 24)]);
  await expect(executor.sort(request)).rejects.toThrow('code could not be loaded');
  await executor.close();
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', listen);
  expect(unhandled).toEqual([]);
});
