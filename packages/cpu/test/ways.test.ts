/** The ways down in Node: each is taken once the ones above are taken away. */

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Worker } from 'node:worker_threads';
import { randomKeys } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import type { Backend, SortOutcome } from '@keysweep/core';
import type { cpu } from '@keysweep/cpu';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';

drawTests(1 / 2);

/** The threads that live now. */
const threads = new Set<Worker>();

const watch = (worker: Worker): void => {
  threads.add(worker);
  worker.once('exit', () => threads.delete(worker));
};

let folder: string;

beforeAll(async () => {
  const cache = fileURLToPath(new URL('../../../node_modules/.cache/', import.meta.url));
  await mkdir(cache, { recursive: true });
  folder = await mkdtemp(`${cache}keysweep-ways-`);
});

afterAll(() => rm(folder, { recursive: true }));

beforeEach(() => {
  process.on('worker', watch);
});

afterEach(() => {
  process.off('worker', watch);
  vi.unstubAllGlobals();
});

const source = testRandom();

/** Served by threads. */
const LARGE = 600_000;

/** What stands in the place of a module; undefined where it is missing. */
type Changes = Readonly<Record<string, string | undefined>>;

const NO_FILE: Changes = { 'dist/pool/worker/node-worker.js': undefined };
const NO_PISCINA: Changes = {
  'node_modules/piscina/package.json': '{ "main": "nothing.js" }',
};
const BROKEN_FILE: Changes = {
  'dist/pool/worker/node-worker.js': "throw new Error('not in this test');",
};
const NO_TEXT: Changes = { 'dist/pool/worker/node-worker-source.js': undefined };
const BROKEN_TEXT: Changes = {
  'dist/pool/worker/node-worker-source.js':
    'export const NODE_WORKER_SOURCE = "throw new Error(\'nor this\')";',
};

/** A copy of the package with changes. */
async function changed(changes: Changes): Promise<typeof cpu> {
  const own = await mkdtemp(`${folder}/copy-`);
  const source = fileURLToPath(new URL('../', import.meta.url));
  await cp(`${source}package.json`, `${own}/package.json`);
  await cp(`${source}dist`, `${own}/dist`, { recursive: true });
  for (const [path, text] of Object.entries(changes)) {
    await mkdir(fileURLToPath(new URL('.', `file://${own}/${path}`)), { recursive: true });
    if (text === undefined) await rm(`${own}/${path}`);
    else await writeFile(`${own}/${path}`, text);
  }
  return ((await import(`${own}/dist/index.js`)) as { cpu: typeof cpu }).cpu;
}

/** Sorts so many keys and checks the result. */
async function sorts(backend: Backend, length: number): Promise<SortOutcome> {
  const keys = randomKeys(length, source);
  const expected = keys.slice().sort();
  const outcome = await backend.sort(makeRequest('sort', [keys]));
  expect(Buffer.from(keys.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
  return outcome;
}

const codesOf = ({ warnings = [] }: SortOutcome): string[] => warnings.map(({ code }) => code);

const descriptionOf = async (backend: Backend): Promise<string> => {
  const probe = await backend.probe();
  return probe.available ? probe.capabilities.description : probe.reason;
};

describe('threads from a text', () => {
  it.each([
    { without: 'the worker file', changes: NO_FILE },
    { without: 'piscina', changes: NO_PISCINA },
    { without: 'a worker file that loads', changes: BROKEN_FILE },
  ])('serve without $without, and nothing is lost', async ({ changes }) => {
    const backend = (await changed(changes))({ threads: 2 });
    await backend.warmUp(LARGE);
    let seen = 0;
    for (let i = 0; i < 300 && seen < 2; i++) {
      const outcome = await sorts(backend, LARGE);
      expect(codesOf(outcome)).toEqual([]);
      seen = outcome.threads;
    }
    expect(seen).toBe(2);
    expect(await descriptionOf(backend)).toBe('WebAssembly over shared memory, up to 2 threads');
    await backend.release();
    await vi.waitFor(() => expect(threads.size).toBe(0));
    await sorts(backend, LARGE);
    await backend.close();
    await vi.waitFor(() => expect(threads.size).toBe(0));
  });

  it('that die are replaced by new ones from the text', async () => {
    const backend = (await changed(NO_FILE))({ threads: 2 });
    for (let i = 0; i < 2; i++) {
      await backend.warmUp(LARGE);
      await Promise.all([...threads].map((thread) => thread.terminate()));
      // The calling thread may do without those that died, or say that they did.
      await sorts(backend, LARGE).catch((error) => expect(error.name).toBe('BackendFailedError'));
      const { warnings, threads: taken } = await sorts(backend, LARGE);
      expect({ warnings, isServed: taken > 0 }).toEqual({ warnings: undefined, isServed: true });
    }
    await backend.close();
    await vi.waitFor(() => expect(threads.size).toBe(0));
  });
});

describe('without any thread', () => {
  it.each([
    { why: 'the text is missing', changes: { ...NO_FILE, ...NO_TEXT } },
    { why: 'no thread loads its code', changes: { ...BROKEN_FILE, ...BROKEN_TEXT } },
  ])('the calling thread sorts with its kernels ($why)', async ({ changes }) => {
    const backend = (await changed(changes))({ threads: 2 });
    await backend.warmUp(LARGE);
    const last = await sorts(backend, LARGE);
    expect(codesOf(last)).toEqual(['no-threads']);
    expect(last.threads).toBe(1);
    expect(last.warnings?.[0]?.message).toMatch(
      /the calling thread sorts.*piscina: .*allow-worker/s,
    );
    // The kernels alone say how many passes they left out.
    expect(await descriptionOf(backend)).toBe('WebAssembly on the calling thread, 1 thread');
    await backend.close();
    await vi.waitFor(() => expect(threads.size).toBe(0));
  });
});

describe('in a process that may not start threads', () => {
  // Its name since Node.js 23.
  const flag = process.allowedNodeEnvironmentFlags.has('--permission')
    ? '--permission'
    : '--experimental-permission';

  const PROGRAM = `
    import { cpu } from '@keysweep/cpu';
    import { plainRequest } from '@keysweep/core';
    const backend = cpu({ threads: 2 });
    await backend.warmUp(${LARGE});
    const found = [];
    for (const length of [${LARGE}, ${LARGE} + 1]) {
      const keys = Uint32Array.from({ length }, (_, i) => Math.imul(i, 2654435761));
      const { threads, warnings } = await backend.sort(plainRequest('sort', keys));
      const isSorted = keys.every((key, i) => i === 0 || keys[i - 1] <= key);
      found.push({ threads, isSorted, codes: warnings.map(({ code }) => code) });
    }
    await backend.close();
    console.log(JSON.stringify(found));
  `;

  it('the calling thread sorts with its kernels', async () => {
    const file = `${folder}/without-workers.mjs`;
    await writeFile(file, PROGRAM);
    const args = [flag, '--allow-fs-read=*', file];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const served = { threads: 1, isSorted: true, codes: ['no-threads'] };
    expect(JSON.parse(stdout)).toEqual([served, served]);
  });
});

describe('without WebAssembly', () => {
  it('plain TypeScript sorts, and says so', async () => {
    const make = await changed({});
    vi.stubGlobal('WebAssembly', undefined);
    const backend = make({ threads: 2 });
    for (const length of [1000, LARGE, 1000]) {
      const outcome = await sorts(backend, length);
      expect(codesOf(outcome)).toEqual(['no-webassembly']);
      expect(outcome.warnings?.[0]?.message).toMatch(
        /WebAssembly is missing.*nothing to set here/s,
      );
    }
    expect(await descriptionOf(backend)).toMatch(/^plain TypeScript on the calling thread/);
    await backend.close();
  });

  it('because the caller asked for it, nothing is lost', async () => {
    const backend = (await changed({}))({ kernels: 'plain' });
    expect(codesOf(await sorts(backend, LARGE))).toEqual([]);
    await backend.close();
  });
});
