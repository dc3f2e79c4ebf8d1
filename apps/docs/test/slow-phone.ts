/** A page on a slow phone: what it downloads, and when it can be used. */

import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** A line as DevTools slow it down: milliseconds that each request waits, and bytes a second. */
interface Line {
  readonly latency: number;
  readonly downloadThroughput: number;
  readonly uploadThroughput: number;
}

/** The slow 4G line for which Lighthouse computes its figures. */
const SLOW_4G: Line = {
  latency: 150,
  downloadThroughput: 204_800,
  uploadThroughput: 93_750,
};

/**
 * The same line as Lighthouse sets it where it really slows a page down: a request then waits for
 * a few round trips, because connections have to be opened.
 */
export const SLOW_4G_APPLIED: Line = {
  latency: 562.5,
  downloadThroughput: 184_320,
  uploadThroughput: 84_375,
};

/** A slow phone's processor has a quarter of this one's speed. */
const SLOWER = 4;

export interface Visit {
  /** Bytes of all files that were asked for, by workers too, compressed. */
  readonly bytes: number;
  readonly requests: number;
  /** Milliseconds until something is painted. */
  readonly painted: number;
  /** Milliseconds until the page can be used, and no task over 50 ms runs any more. */
  readonly interactive: number;
}

/** Visits `path` of a folder that is served, until the expression `isReady` is true for a while. */
export async function visit(
  browser: Browser,
  folder: string,
  path: string,
  isReady: string,
  line: Line = SLOW_4G,
): Promise<Visit> {
  let [bytes, requests] = [0, 0];
  const server = createServer(async ({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const file = join(folder, decodeURI(pathname));
    try {
      const plain = await readFile(file);
      const isText = /\.(html|js|css|svg|json)$/.test(file);
      const body = isText ? gzipSync(plain) : plain;
      bytes += body.length;
      requests++;
      response.writeHead(200, {
        'Content-Type': TYPES[extname(file)] ?? 'application/octet-stream',
        ...(isText && { 'Content-Encoding': 'gzip' }),
      });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const context = await browser.newContext({ viewport: { width: 412, height: 823 } });
  try {
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', { offline: false, ...line });
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    // The page itself looks at its clock, because the driver hears of it late on a busy machine.
    await page.addInitScript(`{
      const look = () => {
        let isReady = false;
        try { isReady = ${isReady}; } catch {}
        if (isReady) globalThis.readyAt = performance.now();
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    }`);
    await page.addInitScript(() => {
      const ends: number[] = [];
      Object.assign(globalThis, { longTaskEnds: ends });
      new PerformanceObserver((list) => {
        for (const { startTime, duration } of list.getEntries()) ends.push(startTime + duration);
      }).observe({ type: 'longtask', buffered: true });
    });
    await page.goto(`http://127.0.0.1:${port}/${path}`);
    await page.waitForFunction('globalThis.readyAt');
    // What the page does next may be a long task, too.
    await page.waitForTimeout(2000);
    const seen = await page.evaluate(() => {
      const { readyAt, longTaskEnds } = globalThis as unknown as {
        readyAt: number;
        longTaskEnds: number[];
      };
      return {
        painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
        interactive: Math.max(readyAt, ...longTaskEnds),
      };
    });
    return { bytes, requests, ...seen };
  } finally {
    await context.close();
    await new Promise((resolve) => server.close(resolve));
  }
}
