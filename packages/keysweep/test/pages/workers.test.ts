/** The cpu backend in pages of every kind: what works, what breaks, and what is left behind. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isThorough, NOT_DRAWN, runSeed, sample } from '@keysweep/conformance/data';
import { CHECKS } from '@keysweep/conformance/suite';
import { type Browser, chromium as engine, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../../tools/chromium.js';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import { builtInPlace, type Headers, type Missing, serve } from './sites.js';

drawTests(1 / 2);

const ISOLATED: Headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const SEED = runSeed();

/** Beyond what the calling thread sorts by itself. */
const LARGE = 131_073;

let browser: Browser;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keysweep-workers-'));
  await builtInPlace(fileURLToPath(new URL('workers/', import.meta.url)), folder);
  browser = await engine.launch(chromium());
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true });
});

/** A kind of page: its headers, and a script that runs before all others. */
interface Kind {
  readonly headers?: Headers;
  readonly first?: string;
  readonly missing?: Missing;
}

/** The tests of the page, called by name there; all arguments and results are plain data. */
type Ask = <T>(name: string, ...args: readonly unknown[]) => Promise<T>;

/** Opens a page of a kind, asks it something, and makes sure that nothing went unnoticed. */
async function visit<T>(kind: Kind, work: (ask: Ask) => Promise<T>) {
  const { headers = {}, first = '', missing } = kind;
  const { url, close } = await serve(folder, headers, missing);
  const page: Page = await browser.newPage();
  const uncaught: string[] = [];
  page.on('pageerror', (error) => uncaught.push(String(error)));
  try {
    await page.addInitScript(first);
    await page.goto(url);
    await expect.poll(() => page.title(), { timeout: 500_000 }).toBe('ready');
    const ask: Ask = (name, ...args) =>
      page.evaluate(
        // biome-ignore lint/suspicious/noExplicitAny: the page's own
        ([name, args]) => (globalThis as any).tests[name](...args),
        [name, args] as const,
      );
    const result = await work(ask);
    expect(uncaught).toEqual([]);
    return result;
  } finally {
    await page.close();
    await close();
  }
}

const NO_WORKER = 'delete globalThis.Worker';

describe('the cpu backend conforms', () => {
  // The whole suite runs in Node.
  const names = sample(
    CHECKS.map(({ name }) => name),
    4,
  );

  it.each([
    { name: 'a page that is not isolated', kind: {} },
    { name: 'a page without workers', kind: { first: NO_WORKER } },
  ])('in $name', async ({ kind }) => {
    const effort = isThorough ? 'most' : 'sample';
    const failures = await visit(kind, (ask) =>
      ask<string[]>('conform', SEED, [LARGE], names, effort),
    );
    expect(failures, `KEYSWEEP_SEED=${SEED}`).toEqual([]);
  });
});

/** Every kind of page, how it says that it sorts, and whether it starts workers, or tries to. */
const KINDS: readonly (Kind & { name: string; sorts: string; workers: boolean })[] = [
  {
    name: 'an isolated page',
    headers: ISOLATED,
    sorts: 'WebAssembly over shared memory',
    workers: true,
  },
  {
    name: 'a page that is not isolated',
    sorts: 'WebAssembly in a worker that arrays are sent to',
    workers: true,
  },
  {
    name: 'an isolated page of a browser without SharedArrayBuffer',
    headers: ISOLATED,
    first: 'delete globalThis.SharedArrayBuffer',
    sorts: 'are sent to: this browser has no SharedArrayBuffer, though the page is isolated',
    workers: true,
  },
  {
    name: 'a page whose policy forbids WebAssembly',
    headers: { 'Content-Security-Policy': "default-src 'self'" },
    sorts: 'plain TypeScript in a worker that arrays are sent to: the kernels do not compile here',
    workers: true,
  },
  {
    name: 'a page whose policy forbids workers',
    headers: {
      'Content-Security-Policy': "default-src 'self' 'wasm-unsafe-eval'; worker-src 'none'",
    },
    sorts: 'WebAssembly in a worker that arrays are sent to',
    workers: true,
  },
  {
    name: 'a page without workers',
    headers: ISOLATED,
    first: NO_WORKER,
    sorts: 'WebAssembly on the calling thread',
    workers: false,
  },
];

/** The kinds of pages that slow tests are run in. */
const DRAWN = sample(KINDS, 2);

describe.each(KINDS)('$name', ({ sorts, workers, ...kind }) => {
  const drawn = DRAWN.some(({ name }) => name === kind.name);

  it('starts workers once a large array was sorted, and ends them when closed', async () => {
    const { description, late, ...rest } = await visit(kind, (ask) =>
      ask<{ description: string; late: number }>('sorts', isThorough ? 1_000_000 : 200_000),
    );
    expect(rest).toEqual({ few: true, many: true, next: true, early: 0, living: 0 });
    expect(description).toContain(sorts);
    expect(late > 0).toBe(workers);
  });

  it('pauses while it copies or sorts', async ({ skip }) => {
    skip(!drawn, NOT_DRAWN);
    const { pauses, right } = await visit(kind, (ask) =>
      ask<{ pauses: number; right: boolean }>('pauses', 2 ** 22),
    );
    expect(right).toBe(true);
    // 16 MiB in and 16 out, in slices of one: a pause between any two.
    expect(pauses).toBeGreaterThanOrEqual(30);
  });

  it('finishes a result that it copies in, whatever the caller does', async ({ skip }) => {
    skip(!drawn, NOT_DRAWN);
    await visit(kind, async (ask) => {
      expect(await ask('interferes', 'abort')).toEqual({
        isBegun: true,
        error: undefined,
        right: true,
      });
      expect(await ask('interferes', 'detach')).toEqual({
        isBegun: true,
        error: 'TypeError: keys was detached or shrunk while its result was being copied in',
        right: false,
      });
    });
  });
});

/**
 * Keys of a sort that lasts, for a worker to be ended in its midst; and of one that fails at
 * once.
 */
const LASTING = isThorough ? 12_000_000 : 4_000_000;
const FAILING = isThorough ? 3_000_000 : 300_000;
/** Keys for which 'auto' starts workers. */
const PAYING = 3_000_000;

/** Workers that are no good, and what the error then says. */
const MISUSES = [
  { way: 'throws an error', says: /thrown by the worker/ },
  { way: 'fails at its work', says: /a worker thread stopped: Error: TypeError/ },
];

/** The worker's file and, if wanted, its text too. */
const FILE = /worker-web/;
const FILE_AND_TEXT = /worker-web|worker-source/;
const NO_FILE: Missing = { files: FILE, answer: 404 };

const policy = (text: string): Headers => ({ 'Content-Security-Policy': text });

interface Descent extends Kind {
  readonly name: string;
  /** How the caller names a worker. */
  readonly named?: string;
  readonly codes: readonly string[];
  readonly hasWorkers: boolean;
  readonly sorts: RegExp;
}

const IN_WORKERS = /^WebAssembly (over shared memory|in a worker)/;
const HERE = /^WebAssembly on the calling thread/;
const PLAINLY_HERE = /^plain TypeScript on the calling thread/;
const WITHOUT_LOSS = { codes: [], hasWorkers: true, sorts: IN_WORKERS };
const NAMED_IN_VAIN = { codes: ['worker-not-usable'], hasWorkers: true, sorts: IN_WORKERS };
/** Ten seconds pass in a tenth of one, until the page itself has the time. */
const HURRY = `const { setTimeout } = globalThis;
  globalThis.hurries = true;
  globalThis.setTimeout = (work, time) => setTimeout(work, hurries ? time / 100 : time);`;

const DESCENTS: readonly Descent[] = [
  { name: 'without its file', missing: NO_FILE, ...WITHOUT_LOSS },
  {
    name: 'with a page of HTML in place of its file',
    missing: { files: FILE, answer: 'html' },
    ...WITHOUT_LOSS,
  },
  { name: 'with a worker address', named: 'a worker address', ...WITHOUT_LOSS },
  {
    name: 'without any',
    first: 'delete globalThis.Worker',
    ...WITHOUT_LOSS,
    hasWorkers: false,
    sorts: HERE,
  },
  {
    name: 'with a worker address that is wrong',
    named: 'a worker address that is wrong',
    ...NAMED_IN_VAIN,
  },
  {
    name: 'with a worker address that is no script',
    named: 'a worker address that is no script',
    ...NAMED_IN_VAIN,
  },
  {
    name: 'that cannot be made',
    named: 'a worker that cannot be made',
    ...NAMED_IN_VAIN,
  },
  { name: 'that are not found', named: 'a worker that is not found', ...NAMED_IN_VAIN },
  {
    name: 'that never answer',
    named: 'a worker that never answers',
    first: HURRY,
    ...NAMED_IN_VAIN,
  },
  {
    name: 'without their code',
    missing: { files: FILE_AND_TEXT, answer: 404 },
    codes: ['no-threads'],
    hasWorkers: false,
    sorts: HERE,
  },
  {
    name: 'without its file, under a policy against Blobs',
    missing: NO_FILE,
    headers: policy("default-src 'self' 'wasm-unsafe-eval'"),
    codes: ['no-threads'],
    hasWorkers: false,
    sorts: HERE,
  },
  {
    name: 'under a policy against workers',
    headers: policy("default-src 'self' 'wasm-unsafe-eval'; worker-src 'none'"),
    codes: ['no-threads'],
    hasWorkers: false,
    sorts: HERE,
  },
  {
    name: 'under a policy against WebAssembly',
    headers: policy("default-src 'self'"),
    codes: ['no-webassembly'],
    hasWorkers: true,
    sorts: /^plain TypeScript in a worker/,
  },
  {
    name: 'without its file, under a policy against Blobs and WebAssembly',
    missing: NO_FILE,
    headers: policy("default-src 'self'"),
    codes: ['no-threads', 'no-webassembly'],
    hasWorkers: false,
    sorts: PLAINLY_HERE,
  },
];

describe('workers', () => {
  it.each(sample(DESCENTS, 5, SEED))(
    '$name: sorts are right, and every loss is said once',
    async ({ named, codes, hasWorkers, sorts, headers, ...kind }) => {
      const isolation = SEED % 2 === 0 ? ISOLATED : {};
      await visit({ ...kind, headers: { ...headers, ...isolation } }, async (ask) => {
        const found = await ask<{ codes: string[]; description: string }>('descends', LARGE, named);
        const { codes: said, description, ...rest } = found;
        expect(said.toSorted()).toEqual(codes);
        expect(description).toMatch(sorts);
        // From the second sort on, nothing is tried again.
        const left = { workers: 0, urls: 0 };
        expect(rest).toEqual({ right: true, hasWorkers, again: 0, left });
      });
    },
  );
});

describe.each([
  { name: 'an isolated page', headers: ISOLATED, place: 0 },
  { name: 'a page that is not isolated', place: 1 },
])('$name', ({ place, ...kind }) => {
  it.each(sample([0, 10], 1, SEED + place))(
    'reports a worker that is terminated after %i ms',
    async (wait) => {
      await visit(kind, async (ask) => {
        expect(await ask('terminates', 'cpu', wait, LASTING)).toEqual({
          error: expect.stringMatching(/BackendFailedError: .*it was terminated/),
          fallbacks: [],
          isWhole: true,
          next: true,
          nextButOne: true,
        });
        expect(await ask('terminates', 'auto', wait, LASTING)).toEqual({
          error: undefined,
          fallbacks: [expect.stringMatching(/BackendFailedError: .*it was terminated/)],
          isWhole: true,
          next: true,
          nextButOne: true,
        });
      });
    },
  );

  it.each(sample(MISUSES, 2, SEED + place))(
    'copes with a worker that $way',
    async ({ way, says }) => {
      await visit(kind, async (ask) => {
        expect(await ask('misuses', way, 'cpu', FAILING)).toEqual({
          error: expect.stringMatching(says),
          fallbacks: [],
          isWhole: true,
          next: true,
          living: 0,
        });
        expect(await ask('misuses', way, 'auto', PAYING)).toEqual({
          error: undefined,
          fallbacks: [expect.stringMatching(says)],
          isWhole: true,
          next: true,
          living: 0,
        });
      });
    },
  );

  it('starts workers once, keeps its memory, and gives both back', async () => {
    await visit(kind, async (ask) => {
      const { figures, ...rest } = await ask<{ figures: unknown[] }>(
        'repeats',
        isThorough ? 30 : 10,
      );
      expect(figures[1]).toEqual(figures[0]);
      expect(rest).toEqual({ released: 0, again: true, closed: 0 });
    });
  });
});
