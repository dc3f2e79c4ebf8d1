/** What stays of a call's arrays once it is over: nothing, however it ended. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** Elements of an array: threads sort so many. */
const LENGTH = 2 ** 19;

/**
 * A program that makes calls and prints, for each, the bytes of arrays that are there when it is
 * over and the collector has run. `prepare` is run first.
 */
const programOf = (prepare: string): string => `
  import { cpu } from '@keysweep/cpu';
  import { createSorter } from 'keysweep';
  ${prepare}
  const sorter = await createSorter({
    backends: [cpu({ threads: 2, threadsFrom: 1000 })],
    onWarning() {},
  });
  const words = () => new Uint32Array(${LENGTH}).map((_, i) => Math.imul(i, 0x9e3779b1));
  const failing = (call) => call.then(() => Promise.reject(new Error('it ended')), () => {});
  const options = { backend: 'cpu' };
  const stop = () => { throw new Error('enough'); };
  const calls = {
    sort: () => sorter.sort(words(), options),
    toSorted: () => sorter.toSorted(words(), options),
    sortPairs: () => sorter.sortPairs(words(), words(), options),
    argsort: () => sorter.argsort(words(), options),
    columns: () => sorter.argsort([words(), words()], options),
    described: () =>
      sorter.argsort([{ keys: words(), order: 'descending' }, { keys: words() }], options),
    topK: () => sorter.topK(words(), 100),
    aborted: () => failing(sorter.sort(words(), { ...options, signal: AbortSignal.abort() })),
    thrown: () => failing(sorter.sort(words(), { ...options, onProgress: stop })),
  };
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  const left = {};
  // What a call returns is out of reach once this is over.
  const make = async (call) => void (await call());
  for (const [name, call] of Object.entries(calls)) {
    await make(call);
    // The count falls a little after the collector has run.
    for (let i = 0; i < 100; i++) {
      gc();
      left[name] = process.memoryUsage().arrayBuffers;
      if (left[name] < ${LENGTH}) break;
      await turn();
    }
  }
  console.log(JSON.stringify(left));
  await sorter.close();
`;

async function leftBy(prepare: string): Promise<Readonly<Record<string, number>>> {
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const args = ['--expose-gc', '--input-type=module', '--eval', programOf(prepare)];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

describe('the arrays of a call are let go when it is over', () => {
  it.each([
    ['by threads', ''],
    ['where threads cannot start', 'delete globalThis.SharedArrayBuffer;'],
  ])('%s', async (_, prepare) => {
    const kept = Object.entries(await leftBy(prepare)).filter(([, bytes]) => bytes >= LENGTH);
    expect(kept).toEqual([]);
  });
});
