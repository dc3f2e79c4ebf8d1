/**
 * What the guides show, as it stands there, in a folder outside the workspace that has the packed
 * packages: the page of docs/start.md, and the import map, route and component of docs/pages.md.
 */

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium as engine } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { ISOLATED, serve } from './pages.js';
import { run, type Server, serveBy } from './process.js';
import { npm, PACKAGES, pack } from './project.js';

const DOCS = fileURLToPath(new URL('../../../docs/', import.meta.url));
const CONSUMERS = fileURLToPath(new URL('../consumers/', import.meta.url));

/** The blocks of a guide that a comment before them names: `<!-- next: app/sorted.jsx -->`. */
async function filesOf(guide: string, mark: string): Promise<[name: string, code: string][]> {
  const text = await readFile(join(DOCS, guide), 'utf8');
  const blocks = text.matchAll(
    new RegExp(`<!-- ${mark}: (\\S+) -->\\n\`\`\`\\w+\\n(.*?)\`\`\``, 'gs'),
  );
  return Array.from(blocks, ([, name = '', code = '']) => [name, code]);
}

let folder: string;
let browser: Browser;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keysweep-guides-'));
  const dependencies = await pack(PACKAGES, join(folder, 'tarballs'));
  const consumers = JSON.parse(await readFile(join(CONSUMERS, 'package.json'), 'utf8'));
  for (const tool of ['next', 'react', 'react-dom']) {
    dependencies[tool] = consumers.devDependencies[tool];
  }
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  await npm(folder, 'install', '--prefer-offline');
  const files = [...(await filesOf('start.md', 'page')), ...(await filesOf('pages.md', 'next'))];
  for (const [name, code] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), code);
  }
  await cp(
    join(folder, 'node_modules/keysweep/dist/keysweep.min.js'),
    join(folder, 'keysweep.min.js'),
  );
  await cp(join(CONSUMERS, 'next/app/layout.jsx'), join(folder, 'app/layout.jsx'));
  await writeFile(
    join(folder, 'app/page.jsx'),
    `import Sorted from './sorted';\n\nconst numbers = [3, 1, 2];\n
export default () => <Sorted numbers={numbers} />;\n`,
  );
  browser = await engine.launch(chromium());
});

afterAll(async () => {
  await browser?.close();
  await rm(folder, { recursive: true });
});

/** Opens a page; what its console warns of is kept. */
async function open(url: string) {
  const page = await browser.newPage();
  const warnings: string[] = [];
  page.on('pageerror', (error) => warnings.push(String(error)));
  page.on('console', (message) => {
    const { url = '' } = message.location();
    if (!['error', 'warning'].includes(message.type()) || url.endsWith('favicon.ico')) return;
    warnings.push(message.text());
  });
  await page.goto(url);
  return { page, warnings };
}

it.each([
  ['isolated', ISOLATED],
  ['not isolated', {}],
])('the page without a bundler sorts on a click: %s', async (_, headers) => {
  const { url, close } = await serve(folder, headers);
  const { page, warnings } = await open(`${url}/click.html`);
  const answers: string[] = [];
  // The first may be the built-in's: threads are started once they pay.
  for (let click = 1; click <= 3; click++) {
    await page.locator('p').evaluate((line) => line.replaceChildren());
    await page.locator('button').click();
    await page.locator('p', { hasText: /^\d+ ms, by \w+$/ }).waitFor();
    answers.push((await page.locator('p').textContent()) ?? '');
  }
  await page.close();
  await close();
  expect(warnings).toEqual([]);
  expect(answers.at(-1)).toMatch(/ by cpu$/);
});

it('the import map names all that the packages load', async () => {
  const guide = await readFile(join(DOCS, 'pages.md'), 'utf8');
  const [map = ''] = /<script type="importmap">.*?<\/script>/s.exec(guide) ?? [];
  const names = [...map.matchAll(/^ {4}"(@?keysweep[^"]*)"/gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(['keysweep', 'keysweep/sync', 'keysweep/sorted']));
  const program = `
    for (const name of ${JSON.stringify(names)}) await import(name);
    const [{ sort }, { sortSync }] = [await import('keysweep'), await import('keysweep/sync')];
    const keys = () => Float64Array.from({ length: 300_000 }, (_, i) => (i * 7919) % 300_007);
    const [first, again, atOnce] = [await sort(keys()), await sort(keys()), sortSync(keys())];
    const wanted = keys().sort();
    const isRight = (all) => all.every((key, i) => key === wanted[i]);
    globalThis.outcome = [first, again, atOnce].map(isRight);`;
  const page = `<!doctype html>${map}<script type="module">${program}</script>`;
  await writeFile(join(folder, 'map.html'), page);
  const site = await serve(folder, ISOLATED);
  const { page: opened, warnings } = await open(`${site.url}/map.html`);
  const outcome = await opened.waitForFunction('globalThis.outcome');
  expect(await outcome.jsonValue()).toEqual([true, true, true]);
  await opened.close();
  await site.close();
  expect(warnings).toEqual([]);
});

describe('in Next.js', () => {
  let server: Server;

  beforeAll(async () => {
    const next = join(folder, 'node_modules/.bin/next');
    const options = { cwd: folder, env: { NEXT_TELEMETRY_DISABLED: '1' } };
    const { code, stdout, stderr } = await run(next, ['build'], options);
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    server = await serveBy(next, ['start', '--port', '0'], options);
  });

  afterAll(() => server?.stop());

  const order = async (body: object): Promise<{ status: number; answer: unknown }> => {
    const response = await fetch(`${server.url}/api/order`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    return { status: response.status, answer: await response.json() };
  };

  it('the route orders rows by two columns', async () => {
    const columns = { day: [2, 1, 2, 1], delay: [5, 7, 6, 9] };
    expect(await order(columns)).toEqual({ status: 200, answer: [3, 1, 2, 0] });
  });

  it('the route answers 400 to columns of different lengths, and says why', async () => {
    const { status, answer } = await order({ day: [2, 1], delay: [5] });
    expect(status).toBe(400);
    expect(answer).toEqual({ error: expect.stringMatching(/length/) });
  });

  it('the component sorts in the page', async () => {
    const { page, warnings } = await open(server.url);
    await page.getByText('1 to 3', { exact: true }).waitFor();
    await page.close();
    expect(warnings).toEqual([]);
  });
});
