/** keysweep.min.js from another origin, as a page has it from a CDN, in each browser. */

import { readFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { fillSpecial, Random, runSeed } from '@keysweep/conformance/data';
import { faultOfKeys, faultOfOrder } from '@keysweep/conformance/verify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Browser,
  CHROMIUM,
  type Display,
  findFirefox,
  findWebKit,
  NO_DISPLAY,
  NOT_INSTALLED,
  startDisplay,
} from '../../../tools/test/browsers.js';
import { type Headers, ISOLATED } from './pages.js';

const FILE = fileURLToPath(
  new URL('../../../packages/keysweep/dist/keysweep.min.js', import.meta.url),
);
/** So many keys go to a page's threads. */
const LENGTH = 200_000;
const OPEN: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

const seed = runSeed();
const keys = new Float32Array(LENGTH);
fillSpecial(keys, new Random(seed));

let display: Display | undefined;
let cdn: Server;
beforeAll(async () => {
  display = await startDisplay();
  const code = await readFile(FILE);
  cdn = await listen((_, response) => {
    response.writeHead(200, { ...OPEN, 'Content-Type': 'text/javascript' }).end(code);
  });
});
afterAll(async () => {
  await cdn?.close();
  await display?.close();
});

interface Server {
  readonly url: string;
  close(): Promise<void>;
}

/** Another port is another origin. */
async function listen(answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Sorts what `/keys` is, and sends back what it knows, the sorted keys and the rows. */
const pageOf = (file: string): string => `<!doctype html><title>A page</title>
<link rel="icon" href="data:,">
<script type="module">
  const send = (body) => fetch('/found', { method: 'POST', body });
  try {
    const { argsort, argsortSync, sort } = await import('${file}');
    const keys = new Float32Array(await (await fetch('/keys')).arrayBuffer());
    const atOnce = argsortSync(keys);
    const rows = await argsort(keys, { backend: 'cpu' });
    let said;
    await sort(keys, { backend: 'cpu', onReport: (report) => { said = report; } });
    const { backend, threads, fallbacks } = said;
    const isShared = globalThis.SharedArrayBuffer !== undefined;
    const text = JSON.stringify({ backend, threads, fallbacks: fallbacks.length, isShared });
    const head = new TextEncoder().encode(text.padEnd(200));
    send(new Blob([head, keys, rows.slice(), atOnce.slice()]));
  } catch (error) {
    send(JSON.stringify({ error: String(error?.stack ?? error) }).padEnd(200));
  }
</script>`;

interface Sorted {
  readonly said: object;
  readonly keys: Float32Array<ArrayBuffer>;
  readonly rows: Uint32Array<ArrayBuffer>;
  readonly atOnce: Uint32Array<ArrayBuffer>;
}

/** Has a browser open the page, and resolves to what the page sends. */
async function sortIn(browser: Browser, headers: Headers): Promise<Sorted> {
  const page = pageOf(`${cdn.url}keysweep.min.js`);
  let settle: (sent: Buffer) => void;
  const found = new Promise<Buffer>((resolve) => {
    settle = resolve;
  });
  const site = await listen(async (request, response) => {
    if (request.url === '/found') {
      settle(await buffer(request));
      response.end();
    } else if (request.url === '/keys') {
      response.writeHead(200, headers).end(new Uint8Array(keys.buffer));
    } else response.writeHead(200, { ...headers, 'Content-Type': 'text/html' }).end(page);
  });
  try {
    const sent = Uint8Array.from(await browser.visit(site.url, found)).buffer;
    const [from, bytes] = [200, 4 * LENGTH];
    const said = JSON.parse(new TextDecoder().decode(sent.slice(0, from)));
    if ('error' in said) throw new Error(said.error);
    return {
      said,
      keys: new Float32Array(sent, from, LENGTH),
      rows: new Uint32Array(sent, from + bytes, LENGTH),
      atOnce: new Uint32Array(sent, from + 2 * bytes, LENGTH),
    };
  } finally {
    await site.close();
  }
}

const webkit = (env: NodeJS.ProcessEnv): Browser | string =>
  display === undefined ? NO_DISPLAY : (findWebKit(display, env) ?? NOT_INSTALLED);

describe('keysweep.min.js of another origin sorts, with threads if memory is shared, in', () => {
  it.for<[name: string, find: () => Browser | string, headers: Headers, isShared: boolean]>([
    ['Chromium, isolated', () => CHROMIUM, ISOLATED, true],
    ['Chromium', () => CHROMIUM, {}, false],
    ['Firefox, isolated', () => findFirefox() ?? NOT_INSTALLED, ISOLATED, true],
    ['Firefox', () => findFirefox() ?? NOT_INSTALLED, {}, false],
    ['WebKitGTK, isolated', () => webkit({ JSC_useSharedArrayBuffer: '1' }), ISOLATED, true],
    ['WebKitGTK', () => webkit({}), {}, false],
  ])('%s', async ([, find, headers, isShared], { skip }) => {
    const browser = find();
    if (typeof browser === 'string') return skip(browser);
    const { said, ...sorted } = await sortIn(browser, headers);
    // How many threads depends on the machine. An array is sent to one worker, if not shared.
    const threads = isShared ? expect.any(Number) : 1;
    expect(said).toEqual({ backend: 'cpu', threads, fallbacks: 0, isShared });
    expect(faultOfKeys(sorted.keys, keys), `KEYSWEEP_SEED=${seed}`).toBeUndefined();
    for (const rows of [sorted.rows, sorted.atOnce]) {
      expect(faultOfOrder([keys], rows), `KEYSWEEP_SEED=${seed}`).toBeUndefined();
    }
  });
});
