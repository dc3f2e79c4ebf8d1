/** Pages in the project's Chromium. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { type Browser, chromium as engine } from 'playwright';
import { chromium, WEBGPU_ARGS } from '../../../tools/chromium.js';

export type Headers = Readonly<Record<string, string>>;

/** What isolates a page from other origins. */
export const ISOLATED: Headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
};

const TYPES: Headers = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

export interface Site {
  readonly url: string;
  close(): Promise<unknown>;
}

/** Serves the files of a folder, and nothing for others. */
export async function serve(folder: string, headers: Headers = {}): Promise<Site> {
  const server = createServer(async ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const file = join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname);
    try {
      const body = await readFile(file);
      response.writeHead(200, { ...headers, 'Content-Type': TYPES[extname(file)] ?? 'text/plain' });
      response.end(body);
    } catch {
      response.writeHead(404, headers).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://localhost:${port}`, close };
}

let browser: Promise<Browser> | undefined;

/** Opens a page, and waits for its `outcome`. What its console and its workers' warn of is kept. */
export async function visit<Outcome>(
  url: string,
): Promise<{ outcome: Outcome; warnings: string[] }> {
  browser ??= engine.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
  const context = await (await browser).newContext();
  const page = await context.newPage();
  const warnings: string[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    warnings.push(`${message.text()} (${message.location().url})`);
  });
  const uncaught = new Promise<never>((_, reject) => {
    page.on('pageerror', (error) => reject(new Error(`${url}: ${error}\n${warnings.join('\n')}`)));
  });
  try {
    await page.goto(url);
    const read = () => (globalThis as { outcome?: Outcome }).outcome;
    const sorted = page.waitForFunction(read, undefined, { timeout: 120_000 });
    const outcome = (await (await Promise.race([sorted, uncaught])).jsonValue()) as Outcome;
    return { outcome, warnings };
  } finally {
    await context.close();
  }
}

/** Ends the browser, where there is one. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}
