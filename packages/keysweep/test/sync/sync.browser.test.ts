/** keysweep/sync in a page's main thread, and in a worker of the page. The suite runs in Node. */

import { describeBackend } from '@keysweep/conformance';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { compareColumns, compareWithAsync, SYNC_CHECKS, syncBackend } from './sync-checks.js';

const SEED = runSeed();
const LENGTHS = [0, 1, 63, 64, 255, 256, 257, 4097, 140_001];

describeBackend({
  name: "the synchronous functions in a page's main thread",
  create: syncBackend,
  checks: sample(SYNC_CHECKS, 6),
});

describe(`the synchronous functions (KEYSWEEP_SEED=${SEED})`, () => {
  it("give what the asynchronous ones give, in a page's main thread", async () => {
    await compareWithAsync(LENGTHS, new Random(SEED));
    await compareColumns(LENGTHS, new Random(SEED));
  });

  it('give it in a worker of the page', async () => {
    const worker = new Worker(new URL('./sync-checker.js', import.meta.url), {
      type: 'module',
    });
    try {
      const failures = await new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(`the worker failed: ${message}`));
        worker.postMessage({ seed: SEED, lengths: LENGTHS });
      });
      expect(failures).toEqual([]);
    } finally {
      worker.terminate();
    }
  });
});
