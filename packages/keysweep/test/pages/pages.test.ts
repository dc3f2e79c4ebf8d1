/**
 * keysweep in pages as users make them, in a real browser, with nothing of Vitest inside the
 * page.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThorough, runSeed, sample } from '@keysweep/conformance/data';
import { type Browser, chromium as engine } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium, WEBGPU_ARGS } from '../../../../tools/chromium.js';
import {
  builtByVite,
  inOneFile,
  install,
  onViteServer,
  type Site,
  withImportMap,
} from './sites.js';

/** The backends that pages sort by. A GPU is reached in the same way by all pages. */
const backendsOf = (isolated: boolean, way: string): string[] =>
  isolated || way === OWN_WORKERS ? ['cpu'] : ['webgpu', 'cpu', 'webgl2'];

/** GPUs in software are slow. The CPU's backend starts workers for so many keys. */
const lengthFor = (backend: string): number => {
  if (backend === 'cpu') return isThorough ? 1_000_000 : 200_000;
  if (!isThorough) return 3000;
  return backend === 'webgl2' ? 20_000 : 1_000_000;
};

/** A name that only the code of gpu.js has. */
const IN_GPU_JS = 'getKernelTextureSize';

const SEED = `${runSeed()}`;

const OWN_WORKERS = 'built by Vite, workers of its own';

interface Way {
  readonly name: string;
  readonly make: (root: string, headers: Record<string, string>) => Promise<Site>;
  /**
   * Where the page can sort. Import maps do not hold in workers: without a bundler only the
   * page itself can.
   */
  readonly realms: readonly string[];
  /**
   * Who makes the workers: with any bundler the page may.
   */
  readonly worker: 'found' | 'own';
  /**
   * Where what import() loads is a file of its own: Vite makes one file of a worker, by
   * default.
   */
  readonly splits: readonly string[];
}

const PAGE = ['page'];
const BOTH = ['page', 'worker'];
const WAYS: readonly Way[] = [
  { name: 'built by Vite', make: builtByVite, realms: BOTH, worker: 'found', splits: PAGE },
  { name: OWN_WORKERS, make: builtByVite, realms: PAGE, worker: 'own', splits: PAGE },
  { name: "on Vite's dev server", make: onViteServer, realms: BOTH, worker: 'found', splits: BOTH },
  { name: 'bundled into one file', make: inOneFile, realms: BOTH, worker: 'found', splits: [] },
  { name: 'with an import map', make: withImportMap, realms: PAGE, worker: 'found', splits: PAGE },
];

/** A page has shared memory only if it is isolated; without, it has to sort as well. */
const ISOLATIONS = [
  {
    isolated: true,
    headers: {
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Cross-Origin-Embedder-Policy': 'require-corp',
    },
  },
  { isolated: false, headers: {} },
];

let browser: Browser;

beforeAll(async () => {
  browser = await engine.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
  return () => browser.close();
});

/** A sort in a page. */
interface Visited {
  readonly isolated: boolean;
  readonly backend: string;
  readonly realm: string;
}

const visitsOf = ({ name, realms }: Way): Visited[] =>
  ISOLATIONS.flatMap(({ isolated }) =>
    backendsOf(isolated, name).flatMap((backend) =>
      realms.map((realm) => ({ isolated, backend, realm })),
    ),
  );

for (const way of sample(WAYS, 1)) {
  const { name, make, worker, splits } = way;
  const drawn = sample(visitsOf(way), 1, runSeed() + WAYS.indexOf(way));
  for (const { isolated, headers } of ISOLATIONS) {
    const visits = drawn.filter((visited) => visited.isolated === isolated);
    if (visits.length === 0) continue;
    describe(`a page ${name}, ${isolated ? 'isolated' : 'not isolated'}`, () => {
      let root: string;
      let site: Site;

      beforeAll(async () => {
        root = await mkdtemp(join(tmpdir(), 'keysweep-page-'));
        // An import map says where gpu.js is: the page need not.
        await install(root, make === withImportMap ? 'found' : 'given');
        site = await make(root, headers);
      });

      afterAll(async () => {
        await site?.close();
        await rm(root, { recursive: true });
      });

      for (const { backend, realm } of visits) {
        it(`sorts by ${backend} in a ${realm}`, async () => {
          const length = `${lengthFor(backend)}`;
          const task = new URLSearchParams({ backend, realm, worker, seed: SEED, length });
          const address = `${site.url}?${task}`;
          const { outcome, problems, gpuJsFiles } = await visit(address);
          expect({ outcome, problems, errors: site.errors }, address).toEqual({
            outcome: { misplaced: 0, backend, fallbacks: [], isolated, webgpu: true },
            problems: [],
            errors: [],
          });
          // A page that does not sort by WebGL2 loads nothing of gpu.js.
          const isWanted = backend === 'webgl2' || !splits.includes(realm);
          expect(gpuJsFiles.length > 0, `${address} has loaded ${gpuJsFiles}`).toBe(isWanted);
        });
      }
    });
  }
}

it('a page built by Vite without gpu.js sorts, but not by webgl2', async () => {
  const root = await mkdtemp(join(tmpdir(), 'keysweep-page-'));
  await install(root, 'missing');
  const site = await builtByVite(root, {});
  const sortBy = (backend: string): Promise<Visit> =>
    visit(`${site.url}?${new URLSearchParams({ backend, seed: SEED })}`);
  const named = await sortBy('webgl2');
  expect(named.outcome).toEqual({ error: expect.stringMatching(/gpu.js was not found/) });
  expect((await sortBy('auto')).outcome).toMatchObject({ misplaced: 0, fallbacks: [] });
  expect(site.errors).toEqual([]);
  expect(site.messages.filter((message) => message.includes('gpu.js'))).toEqual([]);
  await site.close();
  await rm(root, { recursive: true });
});

/** What a page showed. */
interface Visit {
  readonly outcome: unknown;
  readonly problems: readonly string[];
  /** Files with gpu.js in them that it loaded. */
  readonly gpuJsFiles: readonly string[];
}

/** Opens a page and waits until its title tells the outcome, or something is wrong. */
async function visit(address: string): Promise<Visit> {
  // A cache of its own, so that every file is asked for.
  const context = await browser.newContext();
  const page = await context.newPage();
  const problems: string[] = [];
  const gpuJsFiles: string[] = [];
  const bodies: Promise<void>[] = [];
  context.on('response', (response) => {
    const lookIn = (body: string): void => {
      if (body.includes(IN_GPU_JS)) gpuJsFiles.push(response.url());
    };
    bodies.push(response.text().then(lookIn, () => {}));
  });
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    problems.push(`console: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => problems.push(`uncaught: ${error}`));
  page.on('requestfailed', (request) => {
    problems.push(`${request.url()}: ${request.failure()?.errorText}`);
  });
  page.on('response', (response) => {
    if (!response.ok()) problems.push(`${response.url()}: status ${response.status()}`);
  });
  try {
    await page.goto(address);
    const isOver = async () => problems.length > 0 || (await page.title()) !== '';
    await expect.poll(isOver, { timeout: 500_000, message: `${address} shows nothing` }).toBe(true);
    await Promise.all(bodies);
    return { outcome: JSON.parse((await page.title()) || 'null'), problems, gpuJsFiles };
  } finally {
    await context.close();
  }
}
