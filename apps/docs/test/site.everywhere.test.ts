/** The built site: every link, every page in a browser, light and dark, wide and narrow. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium as engine } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { findings } from '../../../tools/test/axe.js';
import {
  CHROMIUM,
  type Display,
  findFirefox,
  findWebKit,
  NO_DISPLAY,
  NOT_INSTALLED,
  startDisplay,
  type Browser as VisitedBy,
} from '../../../tools/test/browsers.js';
import { serveTrial } from '../../../tools/test/trial.js';
import { readCodes } from '../codes.js';
import { ROOT, SOURCE } from '../pages.js';
import { describeControls } from './controls.js';
import { inspect } from './in-page/inspect.js';
import { SLOW_4G_APPLIED, visit } from './slow-phone.js';
import { DIST, ORIGIN, open, openWindow } from './windows.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let browser: Browser;
let pages: string[];
/** The HTML of each page, and of those beside the site: the comparison page and examples. */
let html: Map<string, string>;
let beside: Map<string, string>;

beforeAll(async () => {
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const build = spawn('npm', ['run', '--silent', 'site'], { cwd, stdio: 'pipe' });
  const [out, err, [code]] = await Promise.all([
    text(build.stdout),
    text(build.stderr),
    once(build, 'close'),
  ]);
  // A page that could not be rendered is printed, but does not end the build.
  expect({ code, errors: `${out}${err}`.match(/^.*error\b.*$/gim) }).toEqual({
    code: 0,
    errors: null,
  });
  const all = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.html') && file !== '404.html')
    .sort();
  const contentsOf = (files: readonly string[]) =>
    new Map(files.map((file) => [file, readFileSync(join(DIST, file), 'utf8')]));
  // Those beside the site have tests of their own.
  const isBeside = (file: string): boolean => /^(compare|live)\//.test(file);
  pages = all.filter((file) => !isBeside(file));
  [html, beside] = [contentsOf(pages), contentsOf(all.filter(isBeside))];
  browser = await engine.launch(chromium());
});

afterAll(() => browser?.close());

/** Pages that axe judges: one of each kind. It takes seconds for a long one. */
const JUDGED = [
  'index.html',
  'start.html',
  'errors.html',
  'performance.html',
  'questions.html',
  'examples/index.html',
  'codes/no-threads.html',
  'records.html',
  'migration.html',
  'architecture/index.html',
  'reference/keysweep/sync.html',
];

describe('links', () => {
  const hrefs = (text: string): string[] =>
    Array.from(text.matchAll(/<a [^>]*?href="([^"]*)"/g), ([, href = '']) =>
      href.replaceAll('&amp;', '&'),
    );
  const idsOf = (text: string): Set<string> =>
    new Set(Array.from(text.matchAll(/ id="([^"]*)"/g), ([, id = '']) => id));

  it('lead to a page of the site, and to a heading that it has', () => {
    const broken: string[] = [];
    let checked = 0;
    for (const [page, content] of [...html, ...beside]) {
      for (const href of hrefs(content).filter((href) => !/^[a-z]+:/.test(href))) {
        checked++;
        const { pathname, hash } = new URL(href, `${ORIGIN}${page}`);
        const target = decodeURI(pathname.slice(1).replace(/(^|\/)$/, '$1index.html'));
        const found = html.get(target);
        const id = decodeURIComponent(hash.slice(1));
        // A file beside the pages: the comparison page, an example, the changes as a feed.
        if (found === undefined && existsSync(join(DIST, target))) continue;
        if (found === undefined) broken.push(`${page}: ${href}`);
        else if (id !== '' && !idsOf(found).has(id)) broken.push(`${page}: ${href} (heading)`);
      }
    }
    expect(broken).toEqual([]);
    expect(checked).toBeGreaterThan(1000);
  });

  it('of the comparison page and of examples lead to the site, not to its documents', () => {
    const away = [...beside].flatMap(([page, content]) =>
      hrefs(content)
        .filter((href) => /#|\.md$/.test(href) && href.startsWith(SOURCE))
        .map((href) => `${page}: ${href}`),
    );
    expect([...beside.keys()]).toEqual(expect.arrayContaining(['compare/index.html']));
    expect(away).toEqual([]);
  });

  it('into the repository lead to a file that is there', () => {
    const files = new Set(
      [...html.values()]
        .flatMap(hrefs)
        .filter((href) => /^\/(blob|tree)\//.test(href.slice(SOURCE.length)))
        .map((href) => decodeURI(href.slice(SOURCE.length).replace(/^\/\w+\/main\/|[#?].*$/g, ''))),
    );
    expect(files.size).toBeGreaterThan(50);
    expect([...files].filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it('reach every page from the first one', () => {
    const reached = new Set(['index.html']);
    for (const page of reached) {
      for (const href of hrefs(html.get(page) ?? '').filter((href) => !/^[a-z]+:/.test(href))) {
        const { pathname } = new URL(href, `${ORIGIN}${page}`);
        const target = decodeURI(pathname.slice(1).replace(/(^|\/)$/, '$1index.html'));
        if (html.has(target)) reached.add(target);
      }
    }
    expect([...reached].sort()).toEqual(pages);
  });

  it('to images lead to files', () => {
    for (const [page, content] of html) {
      for (const [, source = ''] of content.matchAll(/<img [^>]*?src="([^":]*)"/g)) {
        const file = posix.join(posix.dirname(page), source);
        expect(existsSync(join(DIST, source.startsWith('/') ? source : file)), source).toBe(true);
      }
    }
  });
});

describe.each([
  ['light', 1440],
  ['dark', 768],
  ['dark', 360],
  ['forced', 360],
] as const)('%s colours, %i pixels wide', (colours, width) => {
  it('no page has an error, and axe finds nothing on one of each kind', async () => {
    const context = await openWindow(browser, width, colours);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error}`));
    page.on('response', (response) => {
      if (response.status() === 404) problems.push(`${page.url()}: no ${response.url()}`);
    });
    for (const path of pages) {
      await open(page, path);
      if (JUDGED.includes(path)) problems.push(...(await findings(page, AXE)));
    }
    await context.close();
    expect(problems).toEqual([]);
  });
});

describe('the search', () => {
  it.each([
    ['locale', 'Does it sort strings by locale?'],
    ['two columns', 'How do I sort rows by two columns?'],
    ['first call', 'What does the first call cost?'],
    ['Safari', 'Does it run on Safari?'],
    ['null', 'Where do null and NaN go?'],
    ['stable', 'Is it stable?'],
    ['three.js GPU buffer', 'How do I sort a GPU buffer in three.js?'],
    ['not for', 'What is keysweep not for?'],
    ['builtin', 'Why did I get builtin?'],
    ['no-threads', 'no-threads'],
    ['onesweep', 'gridwise'],
  ])('finds a page for "%s"', async (words, found) => {
    const context = await openWindow(browser, 1280, 'light');
    const page = await context.newPage();
    await open(page, 'start.html');
    await page.locator('#local-search button').click();
    await page.locator('#localsearch-input').fill(words);
    await page.locator('#localsearch-list', { hasText: found }).waitFor();
    await context.close();
  });
});

it('the search has guides before the reference, and no inner parts', async () => {
  const context = await openWindow(browser, 1280, 'light');
  const page = await context.newPage();
  const results = page.locator('#localsearch-list a');
  for (const words of ['null', 'warmUp', 'locale']) {
    await open(page, 'start.html');
    await page.locator('#local-search button').click();
    await page.locator('#localsearch-input').fill(words);
    await results.first().waitFor();
    const addresses = await results.evaluateAll((all) => all.map((it) => it.getAttribute('href')));
    expect(addresses[0], words).not.toMatch(/^\/(reference|packages|changelog|codes)/);
    expect(addresses.filter((it) => it?.startsWith('/reference/@keysweep/core'))).toEqual([]);
  }
  await context.close();
});

it('each page has its Markdown beside it, and llms.txt names the guides', () => {
  for (const page of pages) {
    const text = readFileSync(join(DIST, page.replace(/html$/, 'md')), 'utf8');
    expect(text, page).not.toMatch(/\]\((?!https?:|\/|#)[^)\s]*\.md/);
  }
  const list = readFileSync(join(DIST, 'llms.txt'), 'utf8');
  const links = Array.from(list.matchAll(/\]\((\/[^)]+)\)/g), ([, link = '']) => link);
  expect(links).toEqual(expect.arrayContaining(['/start.md', '/rows.md', '/tables.md']));
  expect(links.filter((link) => !existsSync(join(DIST, link)))).toEqual([]);
});

describeControls(() => browser);

describe('every page can be seen on a phone, and each of its blocks runs, in', () => {
  let display: Display | undefined;
  beforeAll(async () => {
    display = await startDisplay();
  });
  afterAll(() => display?.close());

  const blocks = (): number =>
    [...html.values()].reduce((sum, page) => sum + page.split('class="runnable"').length - 1, 0);

  const browsers: [string, () => VisitedBy | string][] = [
    ['Chromium', () => CHROMIUM],
    ['Firefox', () => findFirefox() ?? NOT_INSTALLED],
    ['WebKitGTK', () => (display ? (findWebKit(display) ?? NOT_INSTALLED) : NO_DISPLAY)],
  ];
  it.for(browsers)('%s', async ([name, find], { skip }) => {
    const browser = find();
    if (typeof browser === 'string') return skip(`${name}: ${browser}`);
    const trial = await serveTrial(DIST, inspect, { pages, widths: [1440, 768, 360] });
    try {
      const found = await browser.visit(trial.url, trial.found);
      const all = { problems: [], pages: pages.length, blocks: blocks() };
      expect(found).toEqual({ ...all, typed: expect.any(Number) });
      expect(found.typed).toBeGreaterThan(10);
    } finally {
      await trial.close();
    }
  });
});

it('the examples in the navigation run, and pictures lead to files', () => {
  const page = html.get('examples/index.html') ?? '';
  const [runs, pictures] = [/ href="\/live\/([\w-]+)\/"/g, / src="\/live\/([\w-]+)\.jpg"/g].map(
    (pattern) => Array.from(page.matchAll(pattern), ([, name = '']) => name),
  );
  expect(runs).toEqual(['arrow-table', 'particles', 'plot', 'splats']);
  // On a busy machine an example may draw nothing in time, and then has no picture.
  expect(runs).toEqual(expect.arrayContaining(pictures ?? []));
  for (const name of runs ?? []) {
    expect(existsSync(join(DIST, 'live', name, 'index.html'))).toBe(true);
  }
  for (const name of pictures ?? []) {
    expect(statSync(join(DIST, 'live', `${name}.jpg`)).size).toBeGreaterThan(10_000);
  }
  expect(html.get('start.html')).toContain('href="/examples/"');
});

/** The text of a row of a table. */
const textOf = (row: string): string => {
  const [cells = ''] = row.split('</tr>');
  return cells
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
};

it('the reference begins with keysweep, and has a sentence for each module', () => {
  const [, , ...rows] = (html.get('reference/index.html') ?? '').split('<tr');
  const modules = rows.map((row) => textOf(row.slice(row.indexOf('>') + 1)));
  expect(modules[0]).toMatch(/^keysweep A drop-in sort/);
  expect(modules.length).toBeGreaterThan(10);
  for (const module of modules) expect(module).toMatch(/^[@\w/-]+ [A-Z].{10,}\.$/);
});

it.each([...readCodes().keys()])('/codes/%s is a page', (name) => {
  expect(html.get(`codes/${name}.html`)).toContain(`<code>${name}</code>`);
});

it('the table of records has one row for each record', () => {
  const folder = join(ROOT, 'apps/bench/records');
  const records = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /^[^/]+\/[^/]+\.json$/.test(file));
  const page = html.get('records.html') ?? '';
  expect(records.length).toBeGreaterThan(0);
  for (const record of records)
    expect(page).toContain(`${SOURCE}/blob/main/apps/bench/records/${record}`);
});

describe('on a slow phone', () => {
  it('the first page has its own styles, and its scripts come with the first requests', () => {
    const page = html.get('index.html') ?? '';
    expect(page).not.toContain('rel="preload stylesheet"');
    const [head = ''] = page.split('<style>');
    const scripts = head.match(/rel="modulepreload"|type="module" src=/g) ?? [];
    // Of the six that a browser sends at once, pictures have two.
    expect(scripts.length).toBeGreaterThan(1);
    expect(scripts.length).toBeLessThan(5);
  });

  const VUE = "'__vue_app__' in (document.querySelector('#app') ?? {})";
  const COMPARE = join(ROOT, 'apps/compare/dist');
  it.each([
    ['the first page', DIST, 'index.html', VUE, 120],
    ['the start', DIST, 'start.html', VUE, 160],
    ['the longest page', DIST, 'pages.html', VUE, 180],
    ['the comparison page', COMPARE, 'index.html', '!document.querySelector("#run").disabled', 420],
  ] as const)('%s downloads no more than it may', async (name, folder, path, isReady, most) => {
    const { bytes, requests, painted, interactive } = await visit(browser, folder, path, isReady);
    const applied = await visit(browser, folder, path, isReady, SLOW_4G_APPLIED);
    const times = [painted, interactive, applied.painted, applied.interactive];
    const [paintedAfter, usableAfter, paintedThen, usableThen] = times.map((ms) =>
      (ms / 1000).toFixed(1),
    );
    console.info(
      `${name}: ${(bytes / 1024).toFixed(0)} KiB in ${requests} requests, ` +
        `painted after ${paintedAfter} s, usable after ${usableAfter} s; ` +
        `where requests wait 562 ms, ${paintedThen} s and ${usableThen} s`,
    );
    expect(requests).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(1024 * most);
  });
});
