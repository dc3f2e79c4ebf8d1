/**
 * The examples that are pages, built for the site, with a picture of each. Pictures are made by
 * the build, because a committed one would show what an example was: where no browser starts, an
 * example has none.
 */

import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { type Browser, chromium as engine } from 'playwright';
import sirv from 'sirv';
import { build } from 'vite';
import { chromium, WEBGPU_ARGS } from '../../tools/chromium.js';
import { TEXTURE_CANVAS } from '../../tools/test/example-canvas.js';
import { pageOf, ROOT, readmesIn, titleOf } from './pages.js';
import { ISOLATION } from './preview.config.js';

/** Where the pages and their pictures are written. */
const LIVE: string = join(ROOT, 'apps/docs/generated/live');

const SIZE = { width: 960, height: 600 };

/** Of the examples: what a picture shows has to be ready soon, without a GPU too. */
const FEWER: Readonly<Record<string, string>> = {
  'arrow-table': '?rows=100000',
  particles: '?discs=3000',
  plot: '?values=200000',
  splats: '?points=50000',
};

/** Milliseconds between two tries to take a picture, and how many there are. */
const PAUSE = 6000;
const TRIES = 10;
/** Bytes of a picture that shows more than a page that is still empty. */
const ENOUGH = 20_000;

export interface Example {
  /** Of its folder. */
  readonly name: string;
  readonly title: string;
  /** What it shows, in a sentence. */
  readonly about: string;
  /** Addresses on the site: of its page, and of itself if it is a page. */
  readonly page: string;
  readonly live: string | undefined;
  readonly picture: string | undefined;
}

/** All examples; with `isBuilt`, those that are pages are built, and their pictures made. */
export async function readExamples(isBuilt: boolean): Promise<Example[]> {
  const readmes = readmesIn('examples');
  const names = readmes.map((file) => basename(dirname(file)));
  const pages = names.filter((name) => existsSync(join(ROOT, 'examples', name, 'index.html')));
  if (isBuilt) {
    await rm(LIVE, { recursive: true, force: true });
    await mkdir(LIVE, { recursive: true });
    for (const name of pages) await buildExample(name);
    await takePictures(pages);
  }
  const table = await readFile(join(ROOT, 'examples/README.md'), 'utf8');
  const examples = readmes.map((file, i) => {
    const name = names[i] as string;
    const [, text = ''] = new RegExp(`^\\| \\[${name}\\].*? \\| (.*?) \\|`, 'm').exec(table) ?? [];
    const about = `${text.slice(0, 1).toUpperCase()}${text.slice(1).replaceAll('`', '')}.`;
    const picture = existsSync(join(LIVE, `${name}.jpg`)) ? `/live/${name}.jpg` : undefined;
    const live = pages.includes(name) ? `/live/${name}/` : undefined;
    const page = `/${pageOf(file)?.replace(/md$/, 'html')}`;
    return { name, title: titleOf(file), about, page, live, picture };
  });
  // Those that run here come first.
  return examples.sort((a, b) => Number(!a.live) - Number(!b.live));
}

async function buildExample(name: string): Promise<void> {
  await build({
    root: join(ROOT, 'examples', name),
    base: './',
    logLevel: 'error',
    build: { outDir: join(LIVE, name), emptyOutDir: true, chunkSizeWarningLimit: 5000 },
  });
}

/** Takes pictures of built examples. Without a browser it says so, and there are none. */
export async function takePictures(names: readonly string[]): Promise<void> {
  let browser: Browser;
  try {
    browser = await engine.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
  } catch (error) {
    console.warn(`The examples have no pictures, because no browser starts: ${error}`);
    return;
  }
  const files = sirv(LIVE, { dev: true });
  const server = createServer((request, response) => {
    for (const [header, value] of Object.entries(ISOLATION)) response.setHeader(header, value);
    files(request, response, () => void response.writeHead(404).end());
  });
  try {
    await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    const { port } = server.address() as AddressInfo;
    for (const name of names) {
      const picture = await takePicture(browser, `http://localhost:${port}/${name}/`, name);
      if (picture === undefined) console.warn(`${name} has no picture: nothing was drawn in time`);
      else await writeFile(join(LIVE, `${name}.jpg`), picture);
    }
  } finally {
    await browser.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A picture once there is something to see; undefined where that takes too long. */
async function takePicture(
  browser: Browser,
  address: string,
  name: string,
): Promise<Buffer | undefined> {
  const page = await browser.newPage({ viewport: SIZE });
  page.setDefaultTimeout(PAUSE * TRIES);
  await page.addInitScript(TEXTURE_CANVAS);
  await page.goto(`${address}${FEWER[name] ?? ''}`);
  try {
    for (let i = 0; i < TRIES; i++) {
      await page.waitForTimeout(PAUSE);
      // A canvas of WebGPU has to be asked, and says so if it has drawn nothing yet.
      const isDrawn = await page.evaluate('globalThis.present?.()').then(
        () => true,
        () => false,
      );
      const picture = await page.screenshot({ type: 'jpeg', quality: 70 });
      if (isDrawn && picture.length > ENOUGH) return picture;
    }
    return undefined;
  } finally {
    await page.close();
  }
}
