/** The service, asked over HTTP as clients do: whole answers, refusals, and clients that go. */

import { exec } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import {
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { saveConsole } from '../../../tools/test/example-picture.js';

const MEMORY = 1 << 20;
/** Several times the memory of a sort: it has to divide the numbers into files. */
const COUNT = isThorough ? 30_000_000 : 1_000_000;
const MAX_BYTES = 4 * COUNT + 4;

const tmp = mkdtempSync(join(tmpdir(), 'keysweep-service-'));
let address: string;
let close: () => Promise<void>;

beforeAll(async () => {
  // It brings no types.
  const { makeServer } = await import('../src/server.js' as string);
  const server = await makeServer({ memory: MEMORY, atOnce: 2, maxBytes: MAX_BYTES, tmp });
  address = await server.listen({ port: 0, host: '127.0.0.1' });
  close = () => server.close();
});

afterAll(async () => {
  await close();
  rmSync(tmp, { recursive: true });
});

const running = async (): Promise<number> =>
  ((await (await fetch(`${address}/health`)).json()) as { running: number }).running;

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(5);
}

// Whatever a client did, nothing is left of it.
afterEach(async () => {
  await until(async () => (await running()) === 0);
  expect(readdirSync(tmp)).toEqual([]);
});

const post = (query: string, body: BodyInit): Promise<Response> =>
  fetch(`${address}/sort?${query}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
    body,
  });

const draw = (count: number): Float32Array<ArrayBuffer> => {
  const random = new Random(runSeed(), count);
  return Float32Array.from({ length: count }, () => random.unit() - 0.5);
};

/** A request whose upload this test writes, and whose answer it reads, at its own pace. */
function start(service = address): ClientRequest {
  const request = httpRequest(`${service}/sort?type=f32`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/octet-stream' },
  });
  // That it is cut is the point.
  return request.on('error', () => {});
}

it(`sorts more than its memory (KEYSWEEP_SEED=${runSeed()})`, async () => {
  const keys = draw(COUNT);
  const expected = keys.toSorted();
  const response = await post('type=f32', keys);
  expect(response.status).toBe(200);
  expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(expected.buffer))).toBe(true);
});

it(`sorts the other way round (KEYSWEEP_SEED=${runSeed()})`, async () => {
  const keys = draw(1000);
  const response = await post('type=f32&order=descending', keys);
  const expected = keys.toSorted().reverse();
  expect(new Float32Array(await response.arrayBuffer())).toEqual(expected);
});

it('sorts nothing to nothing', async () => {
  const response = await post('type=u64', new Uint8Array(0));
  expect([response.status, (await response.arrayBuffer()).byteLength]).toEqual([200, 0]);
});

it.each([
  ['an unknown type', 'type=string', 8, 400, /querystring\/type/],
  ['no whole number of keys', 'type=f64', 12, 400, /12 bytes are no multiple of 8/],
  ['too many bytes', 'type=u32', MAX_BYTES + 4, 413, /at most/],
])('refuses %s with a sentence', async (_, query, bytes, status, message) => {
  const response = await post(query, new Uint8Array(bytes));
  expect([response.status, ((await response.json()) as Error).message]).toEqual([
    status,
    expect.stringMatching(message),
  ]);
});

it.each(['application/json', 'text/plain', 'multipart/form-data'])(
  'refuses a body of %s, and does not answer it with nothing',
  async (type) => {
    const response = await fetch(`${address}/sort?type=f32`, {
      method: 'POST',
      headers: { 'Content-Type': type },
      body: '[3, 1, 2]',
    });
    expect(response.status).toBe(415);
  },
);

it('refuses a third sort at a time, and serves it later', async () => {
  const requests = [start(), start()];
  for (const request of requests) request.write(new Uint8Array(4));
  await until(async () => (await running()) === 2);
  expect((await post('type=u32', Uint32Array.of(2, 1))).status).toBe(503);
  for (const request of requests) request.destroy();
  await until(async () => (await running()) === 0);
  const response = await post('type=u32', Uint32Array.of(2, 1));
  expect(new Uint32Array(await response.arrayBuffer())).toEqual(Uint32Array.of(1, 2));
});

it('ends a sort whose client goes while it uploads, again and again', async () => {
  for (let i = 0; i < 20; i++) {
    const request = start();
    // Enough that a temporary file holds it.
    request.write(new Uint8Array(MEMORY));
    await until(async () => (await running()) === 1);
    await until(async () => readdirSync(tmp).length > 0);
    request.destroy();
    await until(async () => (await running()) === 0);
    expect(readdirSync(tmp)).toEqual([]);
  }
});

it('ends a sort whose client goes while threads sort: the abort reaches them', async () => {
  let isSorting = (): void => {};
  const begun = new Promise<void>((resolve) => {
    isSorting = resolve;
  });
  // A sort without an end of its own: nothing is read or written that could fail in its place.
  const sorter = {
    sort: (_keys: Float32Array, { signal }: { signal?: AbortSignal }) => {
      isSorting();
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    },
    argsort() {},
    gather() {},
    async close() {},
  };
  const { makeServer } = await import('../src/server.js' as string);
  const server = await makeServer({ memory: MEMORY, tmp, sorter });
  const request = start(await server.listen({ port: 0, host: '127.0.0.1' }));
  request.end(new Uint8Array(draw(1000).buffer));
  await begun;
  const health = async (): Promise<unknown> => (await server.inject('/health')).json();
  expect(await health()).toEqual({ running: 1 });
  request.destroy();
  await until(async () => ((await health()) as { running: number }).running === 0);
  await server.close();
});

it('ends a sort whose client goes just before bytes are written to it', async () => {
  const { makeServer } = await import('../src/server.js' as string);
  const server = await makeServer({ memory: MEMORY, tmp });
  let isGone = false;
  server.addHook('onRequest', async (_: unknown, { raw }: { raw: ServerResponse }) => {
    const { writeHead } = raw;
    // The response hears a little later that its connection is closed.
    raw.writeHead = (...args: [number]) => {
      raw.socket?.destroy();
      isGone = true;
      return writeHead.apply(raw, args);
    };
  });
  start(await server.listen({ port: 0, host: '127.0.0.1' })).end(new Uint8Array(4000));
  const health = async (): Promise<unknown> => (await server.inject('/health')).json();
  await until(async () => isGone && ((await health()) as { running: number }).running === 0);
  await server.close();
});

it('ends a sort whose client goes while it downloads', async () => {
  const request = start();
  const answered = new Promise<IncomingMessage>((resolve) => request.on('response', resolve));
  request.end(new Uint8Array(draw(COUNT).buffer));
  // Most of the answer is still to be written: nobody reads it.
  (await answered).on('error', () => {}).destroy();
});

const COMMANDS = [
  'node -e "process.stdout.write(Float32Array.from({ length: 1e6 }, Math.random))" > keys.f32',
  `curl -sS -X POST -H 'Content-Type: application/octet-stream' -T keys.f32 \\
    -w '%{http_code}, %{size_download} bytes in %{time_total} s\\n' \\
    'ADDRESS/sort?type=f32&order=descending' -o sorted.f32`,
  'od -A d -t f4 -N 32 sorted.f32',
  'curl -sS ADDRESS/health && echo',
  `curl -sS -H 'Content-Type: application/json' -d '[3, 1, 2]' 'ADDRESS/sort?type=f32' && echo`,
];

if (process.env.KEYSWEEP_PICTURES === '1') {
  it('is asked by curl, for its picture', async () => {
    const cwd = mkdtempSync(join(tmpdir(), 'keysweep-service-'));
    const texts: string[] = [];
    for (const command of COMMANDS) {
      const asked = command.replace('ADDRESS', address);
      const { stdout } = await promisify(exec)(asked, { cwd });
      texts.push(`$ ${command.replace('ADDRESS', 'http://localhost:8080')}\n${stdout}`);
    }
    rmSync(cwd, { recursive: true });
    expect(texts[1]).toMatch(/^200, 4000000 bytes/m);
    const file = fileURLToPath(new URL('../screenshot.webp', import.meta.url));
    await saveConsole(texts.join(''), file);
  });
}
