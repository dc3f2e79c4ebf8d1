/** The built site: every link, every page in a browser, light and dark, wide and narrow. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Browser, type BrowserContext, chromium as engine, type Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromium } from '../../../tools/chromium.js';
import { seriousFindings } from '../../../tools/test/axe.js';
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
import { inspect } from './in-page/inspect.js';
import { visit } from './slow-phone.js';

const DIST = fileURLToPath(new URL('../dist/', import.meta.url));
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const ORIGIN = 'http://site.test/';

let browser: Browser;
let pages: string[];
/** The HTML of each page. */
let html: Map<string, string>;

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
  pages = readdirSync(DIST, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    // The comparison page and the examples lie beside the site, and have tests of their own.
    .filter((file) => file.endsWith('.html') && !/^(404|(compare|live)\/.*)\.html$/.test(file))
    .sort();
  html = new Map(pages.map((page) => [page, readFileSync(join(DIST, page), 'utf8')]));
  browser = await engine.launch(chromium());
});

afterAll(() => browser?.close());

/** Pages that axe judges: one of each kind. It takes seconds for a long one. */
const JUDGED = [
  'index.html',
  'start.html',
  'errors.html',
  'performance.html',
  'records.html',
  'migration.html',
  'architecture/index.html',
  'reference/keysweep/sync.html',
];

/** A window whose only site is the built one. */
async function openWindow(
  width: number,
  colours: 'light' | 'dark' | 'forced',
  javaScriptEnabled = true,
): Promise<BrowserContext> {
  const context = await browser.newContext({
    javaScriptEnabled,
    viewport: { width, height: 900 },
    colorScheme: colours === 'forced' ? 'dark' : colours,
    forcedColors: colours === 'forced' ? 'active' : 'none',
  });
  // The test's own limit is enough: the machine may be busy.
  context.setDefaultTimeout(0);
  await context.route('**/*', (route) => {
    const { pathname } = new URL(route.request().url());
    const path = join(DIST, decodeURI(pathname.replace(/\/$/, '/index.html')));
    return existsSync(path) ? route.fulfill({ path }) : route.fulfill({ status: 404 });
  });
  return context;
}

/** Opens a page, and waits until it can be used. */
async function open(page: Page, path: string): Promise<void> {
  await page.goto(`${ORIGIN}${path}`);
  await page.waitForFunction(() => '__vue_app__' in (document.querySelector('#app') ?? {}));
}

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
    for (const [page, content] of html) {
      for (const href of hrefs(content).filter((href) => !/^[a-z]+:/.test(href))) {
        checked++;
        const { pathname, hash } = new URL(href, `${ORIGIN}${page}`);
        const target = decodeURI(pathname.slice(1).replace(/(^|\/)$/, '$1index.html'));
        const found = html.get(target);
        const id = decodeURIComponent(hash.slice(1));
        if (/^(compare|live)\//.test(target) && existsSync(join(DIST, target))) continue;
        if (found === undefined) broken.push(`${page}: ${href}`);
        else if (id !== '' && !idsOf(found).has(id)) broken.push(`${page}: ${href} (heading)`);
      }
    }
    expect(broken).toEqual([]);
    expect(checked).toBeGreaterThan(1000);
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
  it('no page has an error, and axe finds nothing serious', async () => {
    const context = await openWindow(width, colours);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(`${page.url()}: ${error}`));
    page.on('response', (response) => {
      if (response.status() === 404) problems.push(`${page.url()}: no ${response.url()}`);
    });
    for (const path of pages) {
      await open(page, path);
      if (JUDGED.includes(path)) problems.push(...(await seriousFindings(page, AXE)));
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
    ['three.js GPU buffer', 'How do I sort a GPU buffer in three.js?'],
    ['not for', 'What is keysweep not for?'],
    ['builtin', 'Why did I get builtin?'],
    ['no-threads', 'no-threads'],
    ['onesweep', 'gridwise'],
  ])('finds a page for "%s"', async (words, found) => {
    const context = await openWindow(1280, 'light');
    const page = await context.newPage();
    await open(page, 'start.html');
    await page.locator('#local-search button').click();
    await page.locator('#localsearch-input').fill(words);
    await page.locator('#localsearch-list', { hasText: found }).waitFor();
    await context.close();
  });
});

it('the search has guides before the reference, and no inner parts', async () => {
  const context = await openWindow(1280, 'light');
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

describe('tabs', () => {
  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).first();

  it('are chosen by keys, and a choice holds for all pages and stays', async () => {
    const context = await openWindow(1280, 'light');
    const page = await context.newPage();
    await open(page, 'start.html');
    await tab(page, 'In a page').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    expect(await tab(page, 'Next.js').getAttribute('aria-selected')).toBe('true');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Next.js');
    expect(await page.getByRole('tabpanel', { name: 'Next.js' }).isVisible()).toBe(true);
    expect(await page.getByRole('tabpanel', { name: 'Vite' }).count()).toBe(0);
    await tab(page, 'pnpm').click();
    await page.getByText('pnpm add keysweep').locator('visible=true').waitFor();
    await open(page, 'pages.html');
    await page.locator('[role=tab][aria-selected=true]', { hasText: 'Next.js' }).waitFor();
    await open(page, 'packages/keysweep.html');
    await page.getByText('pnpm add keysweep').locator('visible=true').waitFor();
    await context.close();
  });

  it('show the heading that an address names', async () => {
    const context = await openWindow(1280, 'light');
    const page = await context.newPage();
    await open(page, 'start.html#node');
    await page.getByRole('tabpanel', { name: 'Node' }).locator('visible=true').waitFor();
    await page.locator('.VPDocOutlineItem a[href="#vite"]').click();
    await page.getByRole('tabpanel', { name: 'Vite' }).locator('visible=true').waitFor();
    await context.close();
  });

  it('show all that they have without scripts', async () => {
    const context = await openWindow(1280, 'light', false);
    const page = await context.newPage();
    await page.goto(`${ORIGIN}start.html`);
    for (const text of ['yarn add keysweep', 'node sort.mjs', "'use client'"]) {
      await page.locator('.panel', { hasText: text }).locator('visible=true').first().waitFor();
    }
    expect(await page.locator('[role=tablist]').locator('visible=true').count()).toBe(0);
    await context.close();
  });
});

describe('a block of code', () => {
  const CODE = /run-block|block-worker|keysweep\.min/;

  it('of the first page compares sorts, can be edited and stopped, and loads late', async () => {
    const context = await openWindow(1280, 'light');
    const page = await context.newPage();
    const loaded: string[] = [];
    page.on('request', (request) => {
      if (CODE.test(request.url())) loaded.push(request.url());
    });
    await open(page, 'index.html');
    await page.waitForLoadState('networkidle');
    expect(loaded).toEqual([]);
    const block = page.locator('.runnable').first();
    const [button, status] = [block.locator('.run button'), block.locator('[role=status]')];
    await button.click();
    await status.filter({ hasText: /^1,000,000 keys|times as fast: 1,000,000 keys/ }).waitFor();
    expect(await status.textContent()).not.toContain('differ');
    expect(await block.locator('.time .ms').allInnerTexts()).toEqual([
      expect.stringMatching(/^[\d.]+ ms$/),
      expect.stringMatching(/^[\d.]+ ms$/),
    ]);
    expect(loaded.length).toBeGreaterThan(1);

    const edit = async (code: string) => {
      await block.locator('code').fill(code);
      await button.click();
    };
    await edit(
      "import { sort } from 'keysweep';\nconsole.log(await sort(Float32Array.of(2, -0)));",
    );
    await status.filter({ hasText: 'Ran in' }).waitFor();
    expect(await block.locator('.line').allInnerTexts()).toEqual(['Float32Array(2) [ -0, 2 ]']);
    await edit("throw new TypeError('no such thing');");
    await status.filter({ hasText: 'TypeError: no such thing' }).waitFor();
    await edit('for (;;);');
    await button.filter({ hasText: 'Stop' }).click();
    await status.filter({ hasText: 'Stopped.' }).waitFor();
    await context.close();
  });
});

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
      expect(found).toEqual({ problems: [], pages: pages.length, blocks: blocks() });
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
  const VUE = "'__vue_app__' in (document.querySelector('#app') ?? {})";
  const COMPARE = join(ROOT, 'apps/compare/dist');
  it.each([
    ['the first page', DIST, 'index.html', VUE, 120],
    ['the start', DIST, 'start.html', VUE, 160],
    ['the longest page', DIST, 'pages.html', VUE, 180],
    ['the comparison page', COMPARE, 'index.html', '!document.querySelector("#run").disabled', 420],
  ] as const)('%s downloads no more than it may', async (name, folder, path, isReady, most) => {
    const { bytes, requests, painted, interactive } = await visit(browser, folder, path, isReady);
    const [paintedAfter, usableAfter] = [painted, interactive].map((ms) => (ms / 1000).toFixed(1));
    console.info(
      `${name}: ${(bytes / 1024).toFixed(0)} KiB in ${requests} requests, ` +
        `painted after ${paintedAfter} s, usable after ${usableAfter} s`,
    );
    expect(requests).toBeGreaterThan(2);
    expect(bytes).toBeLessThan(1024 * most);
  });
});
