/** keysweep.min.js as a page gets it from a CDN: the file alone, from another origin. */

import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { fillSpecial, Random, runSeed } from '@keysweep/conformance/data';
import { faultOfKeys, faultOfOrder } from '@keysweep/conformance/verify';
import { type Browser, chromium as engine, type Frame } from 'playwright';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chromium, WEBGPU_ARGS } from '../../../../tools/chromium.js';
import { type Headers, type Site, serve } from '../pages/sites.js';

const FILE = fileURLToPath(new URL('../../dist/keysweep.min.js', import.meta.url));

/** Bytes, gzipped: everything, with the kernels of the CPU and the GPU. */
const MOST = 170 * 1024;

/** Cores that pages are told of, whatever the machine has. */
const CORES = 3;

/** Workers serve so many keys; a GPU in software is slow. */
const LENGTHS = { cpu: 200_000, webgpu: 3000 };

const OPEN: Headers = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

const ISOLATED: Headers = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Runs before all scripts of a page, and counts the workers that it starts. */
const FIRST = `
  Object.defineProperty(navigator, 'hardwareConcurrency', { value: ${CORES} });
  globalThis.workers = 0;
  globalThis.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      workers++;
    }
  };`;

/** The script of a page: the ways in which it can be asked to sort. */
const scriptOf = (origin: string): string => `<script type="module">
  import { argsort, argsortSync, sort, sortSync, warmUp } from '${origin}keysweep.min.js';

  const sortBy = (named) => async (keys) => {
    await warmUp(keys.length);
    const rows = await argsort(keys, { backend: named });
    const copy = keys.slice();
    let report;
    const options = { backend: named, onReport: (given) => { report = given; } };
    await sort(keys, options);
    // A busy machine may leave a thread out of a sort, but not out of a hundred.
    for (let i = 0; i < 100 && report.threads < workers; i++) await sort(copy.slice(), options);
    const { backend, threads, fallbacks } = report;
    return { rows, backend, threads, fallbacks: fallbacks.length };
  };
  const atOnce = (keys) => {
    const rows = argsortSync(keys);
    sortSync(keys);
    return { rows };
  };
  globalThis.sorts = { cpu: sortBy('cpu'), webgpu: sortBy('webgpu'), atOnce };
</script>`;

const SEED = runSeed();

let browser: Browser;
let folder: string;
let cdn: Pick<Site, 'url' | 'close'>;

beforeAll(async () => {
  browser = await engine.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
  folder = await mkdtemp(join(tmpdir(), 'keysweep-one-file-'));
  const [files, pages] = [join(folder, 'cdn'), join(folder, 'pages')];
  await cp(FILE, join(files, 'keysweep.min.js'));
  cdn = await serve(files, OPEN);
  await mkdir(pages);
  const page = (body: string): string =>
    `<!doctype html><title>A page</title><link rel="icon" href="data:,">${body}`;
  await writeFile(join(pages, 'page.html'), page(scriptOf(cdn.url)));
  const frame = '<iframe sandbox="allow-scripts" allow="cross-origin-isolated" src="page.html">';
  await writeFile(join(pages, 'framed.html'), page(frame));
});

afterAll(async () => {
  await browser?.close();
  await cdn?.close();
  await rm(folder, { recursive: true });
});

/** Opens a page, or the frame in it; whatever went unnoticed there fails. */
async function visit<T>(
  { file, headers, first = '' }: Pick<Place, 'file' | 'headers' | 'first'>,
  work: (place: Frame) => Promise<T>,
): Promise<T> {
  const site = await serve(join(folder, 'pages'), headers);
  const page = await browser.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => problems.push(message.text()));
  page.on('requestfailed', (request) => problems.push(`${request.url()} failed`));
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  try {
    await page.addInitScript(FIRST + first);
    await page.goto(`${site.url}${file}`);
    const place = page.frames().at(-1) as Frame;
    await place.waitForFunction('globalThis.sorts !== undefined');
    const result = await work(place);
    const ofCdn = asked.filter((url) => url.startsWith(cdn.url));
    expect({ problems, ofCdn }).toEqual({ problems: [], ofCdn: [`${cdn.url}keysweep.min.js`] });
    return result;
  } finally {
    await page.close();
    await site.close();
  }
}

const keysOf = (length: number): Float32Array<ArrayBuffer> => {
  const keys = new Float32Array(length);
  fillSpecial(keys, new Random(SEED));
  return keys;
};

const toText = ({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('latin1');

const toBuffer = (text: string): ArrayBuffer => Uint8Array.from(Buffer.from(text, 'latin1')).buffer;

/** What a page has sorted, and how. */
interface Sorted {
  readonly keys: string;
  readonly rows: string;
  readonly backend?: string;
  readonly threads?: number;
  readonly fallbacks?: number;
  readonly workers: number;
}

/** Has a page sort keys and rows by one of the functions of its script. */
const run = (place: Frame, length: number, name: 'atOnce' | 'cpu' | 'webgpu'): Promise<Sorted> =>
  place.evaluate(
    async ([text, name]) => {
      // biome-ignore lint/suspicious/noExplicitAny: set by the page's scripts
      const page = globalThis as any;
      const bytes = Uint8Array.from(text as string, (character) => character.charCodeAt(0));
      const keys = new Float32Array(bytes.buffer);
      const { rows, ...said } = await page.sorts[name as string](keys);
      const asText = ({ buffer }: Float32Array | Uint32Array): string =>
        Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join('');
      return { ...said, keys: asText(keys), rows: asText(rows), workers: page.workers };
    },
    [toText(keysOf(length)), name],
  );

function assertSorted(length: number, { keys, rows }: Sorted): void {
  const input = keysOf(length);
  expect(faultOfKeys(new Float32Array(toBuffer(keys)), input), `KEYSWEEP_SEED=${SEED}`).toBe(
    undefined,
  );
  expect(faultOfOrder([input], new Uint32Array(toBuffer(rows)))).toBe(undefined);
}

/** In the workers of a sandboxed frame, browsers may refuse all locks. Chromium has none there. */
const NO_LOCKS = `
  const refuse = () => Promise.reject(new DOMException('refused', 'SecurityError'));
  const text = 'navigator.locks.request = ' + refuse + ';';
  globalThis.Blob = class extends Blob {
    constructor(parts, options) {
      super([text, ...parts], options);
    }
  };`;

interface Place {
  readonly name: string;
  readonly file: string;
  readonly headers: Headers;
  readonly threads: number;
  readonly first?: string;
}

const PLACES: readonly Place[] = [
  { name: 'an isolated page', file: 'page.html', headers: ISOLATED, threads: CORES },
  { name: 'a page that is not isolated', file: 'page.html', headers: {}, threads: 1 },
  { name: 'a sandboxed frame', file: 'framed.html', headers: {}, threads: 1 },
  { name: 'a sandboxed frame, isolated', file: 'framed.html', headers: ISOLATED, threads: CORES },
  {
    name: 'a page whose workers are refused locks',
    file: 'page.html',
    headers: {},
    threads: 1,
    first: NO_LOCKS,
  },
];

it.each(PLACES)('keysweep.min.js sorts in $name', async ({ threads, ...place }) => {
  await visit(place, async (frame) => {
    const atOnce = await run(frame, LENGTHS.cpu, 'atOnce');
    expect(atOnce.workers).toBe(0);
    assertSorted(LENGTHS.cpu, atOnce);
    const sorted = await run(frame, LENGTHS.cpu, 'cpu');
    expect(sorted).toMatchObject({ backend: 'cpu', threads, workers: threads, fallbacks: 0 });
    assertSorted(LENGTHS.cpu, sorted);
  });
});

it('keysweep.min.js sorts on a GPU', async () => {
  await visit({ file: 'page.html', headers: {} }, async (frame) => {
    const sorted = await run(frame, LENGTHS.webgpu, 'webgpu');
    expect(sorted).toMatchObject({ backend: 'webgpu', fallbacks: 0, workers: 0 });
    assertSorted(LENGTHS.webgpu, sorted);
  });
});

it('keysweep.min.js is no larger than it has to be', async () => {
  const { length } = gzipSync(await readFile(FILE), { level: 9 });
  console.log(`gzipped: keysweep.min.js ${length} bytes`);
  expect(length).toBeLessThanOrEqual(MOST);
});
