/**
 * Threads come late and go when told; a process ends by itself. Each case is a process of its
 * own.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isThorough } from '@keysweep/conformance/data';
import { describe, expect, it, onTestFinished } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';

drawTests(1 / 2);

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));

const IMPORTS = `
  import * as keysweep from 'keysweep';
  import { Random } from '@keysweep/core/random';
`;

/** Keys that threads sort. */
const MANY = isThorough ? 3_000_000 : 600_000;
/** Keys whose memory shows in what a process holds, and MiB that it must then hold more. */
const HELD = isThorough ? 2 ** 24 : 2 ** 23;
const GROWS = isThorough ? 100 : 40;

/** Counts worker threads that live; `threads` and `started` are there for the scripts below. */
const COUNT_THREADS = `
  let threads = 0, started = 0;
  process.on('worker', (worker) => {
    threads++; started++;
    worker.once('exit', () => threads--);
  });
  const source = new Random(1);
  const random = (n) => source.fill(new Uint32Array(n));
`;

/**
 * Runs a module script to its end (a process that does not end fails) and parses what it
 * printed.
 */
async function script(
  body: string,
  flags: readonly string[] = [],
  variables: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  const source = `${IMPORTS}${COUNT_THREADS}${body}`;
  const args = [...flags, '--input-type=module', '--eval', source];
  const env = { ...process.env, ...variables };
  const { stdout, stderr } = await run(process.execPath, args, {
    cwd: here,
    env,
    timeout: 300_000,
  });
  expect(stderr).toBe('');
  return JSON.parse(stdout);
}

const print = 'console.log(JSON.stringify';

describe('a process', () => {
  it('ends by itself after a sort by threads', async () => {
    const result = await script(`
      await keysweep.warmUp(${MANY});
      for (const n of [300_000, ${MANY}]) await keysweep.sort(random(n));
      ${print}({ started: started > 0, threads: threads > 0 }));
    `);
    expect(result).toEqual({ started: true, threads: true });
  });

  it('ends by itself after sorts by threads that told their progress, and failed', async () => {
    const result = await script(`
      const told = new Set();
      const onProgress = ({ phase }) => { told.add(phase); };
      await keysweep.sort(random(${MANY}), { backend: 'cpu', onProgress });
      const failing = () => { throw new Error('it does not like it'); };
      const failed = await keysweep.sort(random(${MANY}), { backend: 'cpu', onProgress: failing })
        .then(() => 'done', ({ message }) => message);
      const signal = AbortSignal.timeout(1);
      await keysweep.sort(random(${MANY}), { backend: 'cpu', onProgress, signal }).catch(() => {});
      ${print}({ told: told.size > 0, failed }));
    `);
    expect(result).toEqual({ told: true, failed: 'it does not like it' });
  });

  it('starts no thread for small arrays, nor for importing', async () => {
    const result = await script(`
      for (const n of [0, 1, 1000, 50_000]) {
        const keys = random(n);
        await keysweep.sort(keys);
        await keysweep.toSorted(keys);
        await keysweep.argsort([keys, keys]);
        await keysweep.sortPairs(keys, keys.slice());
      }
      ${print}(started));
    `);
    expect(result).toBe(0);
  });

  it('has no thread left after close()', async () => {
    const result = await script(`
      const sorter = await keysweep.createSorter();
      await sorter.sort(random(${MANY}));
      // They start once it is done.
      while (started === 0) await new Promise(setImmediate);
      const during = threads;
      await sorter.close();
      await new Promise(setImmediate);
      ${print}({ some: during > 0, after: threads }));
    `);
    expect(result).toEqual({ some: true, after: 0 });
  });

  it('ends after close() though a thread hangs for ever', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'keysweep-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const file = join(folder, 'hang.cjs');
    const forEver = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)';
    await writeFile(file, `if (!require('node:worker_threads').isMainThread) ${forEver};`);
    const result = await script(
      `
      const { cpu } = await import('@keysweep/cpu');
      const sorter = await keysweep.createSorter({ backends: [cpu({ threads: 2 })] });
      const keys = await sorter.sort(random(${MANY}));
      while (started === 0) await new Promise(setImmediate);
      const during = threads;
      await sorter.close();
      await new Promise(setImmediate);
      const sorted = keys.every((key, i) => i === 0 || keys[i - 1] <= key);
      ${print}({ sorted, some: during > 0, after: threads }));
    `,
      [],
      { NODE_OPTIONS: `--require ${JSON.stringify(file)}` },
    );
    expect(result).toEqual({ sorted: true, some: true, after: 0 });
  });

  it.each(['before the first sort', 'after one'])(
    'that deletes SharedArrayBuffer %s sorts without threads, and is told so',
    async (when) => {
      const result = await script(`
        const codes = [];
        const sorter = await keysweep.createSorter({ onWarning: ({ code }) => codes.push(code) });
        if (${when === 'after one'}) await sorter.sort(random(1000), { backend: 'cpu' });
        delete globalThis.SharedArrayBuffer;
        await sorter.warmUp(${MANY});
        const keys = await sorter.sort(random(${MANY}), { backend: 'cpu' });
        const sorted = keys.every((key, i) => i === 0 || keys[i - 1] <= key);
        await sorter.close();
        ${print}({ sorted, started, codes }));
      `);
      expect(result).toEqual({ sorted: true, started: 0, codes: ['no-threads'] });
    },
  );

  it('gives memory and threads back on release(), and sorts again', async () => {
    const result = await script(
      `
      const sorter = await keysweep.createSorter();
      const settle = async () => {
        for (let i = 0; i < 5; i++) { gc(); await new Promise((r) => setTimeout(r, 20)); }
        return process.memoryUsage().rss / 2 ** 20;
      };
      await sorter.warmUp(2 ** 20);
      const before = await settle();
      const keys = random(${HELD});
      await sorter.sort(keys);
      const held = await settle();
      await sorter.release();
      const released = await settle();
      const left = threads;
      await sorter.sort(keys);
      ${print}({ held: held - before > ${GROWS}, released: held - released > ${GROWS}, left }));
    `,
      ['--expose-gc'],
    );
    expect(result).toEqual({ held: true, released: true, left: 0 });
  });

  it('sorts right under the baseline compiler', async () => {
    const result = await script(
      `
      let wrong = 0;
      const same = (a, b) => Buffer.from(a.buffer).equals(Buffer.from(b.buffer));
      for (let i = 0; i < ${isThorough ? 30 : 6}; i++) {
        const keys = random(i % 3 === 2 ? ${isThorough ? 2_200_000 : 600_000} : 200_000 + 1000 * i);
        const expected = keys.slice().sort();
        const order = await keysweep.argsort(keys);
        await keysweep.sort(keys);
        if (!same(keys, expected)) wrong++;
        if (order.length !== keys.length) wrong++;
      }
      ${print}({ wrong, started: started > 0 }));
    `,
      ['--liftoff-only'],
    );
    expect(result).toEqual({ wrong: 0, started: true });
  });
});
