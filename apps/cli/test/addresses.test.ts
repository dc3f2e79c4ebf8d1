/** Objects of S3 on the command line. */

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random, runSeed } from '@keysweep/conformance/data';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { BUCKET, openStore, type Store } from '../../../packages/external/test/s3-server.js';
import { expectSame } from '../../../packages/external/test/same-bytes.js';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { ending, inProcess, KEYSWEEP, scratch } from './command.js';

drawTests(1 / 2);

const SEED = runSeed();
const path = scratch();
const directory = mkdtempSync(join(tmpdir(), 'keysweep-cli-s3-'));
let store: Store;

beforeAll(async () => {
  store = await openStore(directory);
  vi.stubEnv('AWS_ENDPOINT_URL_S3', store.endpoint);
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'S3RVER');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'S3RVER');
  // The client warns of the end of Node 20.
  vi.stubEnv('NODE_NO_WARNINGS', '1');
});
afterEach(() => store.clear());
afterAll(async () => {
  vi.unstubAllEnvs();
  await store.close();
  rmSync(directory, { recursive: true });
});

const at = (key: string): string => `s3://${BUCKET}/${key}`;

/** Random numbers in an object; returns their bytes when they are sorted. */
async function numbersAt(key: string, length: number): Promise<Buffer> {
  const numbers = new BigUint64Array(length);
  new Random(SEED).fill(new Uint32Array(numbers.buffer));
  await store.put(key, new Uint8Array(numbers.buffer));
  return Buffer.from(numbers.sort().buffer);
}

describe('addresses s3:', () => {
  it('are sorted from object to object, checked, and leave nothing else', async () => {
    const sorted = await numbersAt('in', 100_000);
    const args = ['sort', '-t', 'u64', '--memory', '1M', at('in'), '-o', at('out')];
    expect(await inProcess(args)).toEqual({ code: 0, stderr: '' });
    expectSame(store.bytes('out'), sorted, `seed ${SEED}`);
    expect(store.keys()).toEqual(['in', 'out']);
    expect(store.uploads()).toEqual([]);

    expect((await inProcess(['check', '-t', 'u64', at('out')])).code).toBe(0);
    const { code, stderr } = await inProcess(['check', '-t', 'u64', at('in')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: 's3:\/\/bucket\/in' is not sorted: record .*\n$/);
  });

  it('go with files of this machine, and without --memory', async () => {
    const sorted = await numbersAt('in', 1000);
    expect((await inProcess(['sort', '-t', 'u64', at('in'), '-o', path('out')])).code).toBe(0);
    expectSame(readFileSync(path('out')), sorted, `seed ${SEED}`);
    const back = ['sort', '-t', 'u64', '-r', `file://${path('out')}`, '-o', at('back')];
    expect(await inProcess(back)).toEqual({ code: 0, stderr: '' });
    const reversed = new BigUint64Array(new Uint8Array(sorted).buffer).reverse();
    expectSame(store.bytes('back'), Buffer.from(reversed.buffer), `seed ${SEED}`);
  });

  it('tell text from numbers as files do', async () => {
    await store.put('in', Buffer.from('12\n7\n'.repeat(100)));
    const { code, stderr } = await inProcess(['sort', '-t', 'u32', at('in'), '-o', at('out')]);
    expect(code).toBe(2);
    expect(stderr).toContain("'s3://bucket/in' is text");
    expect(store.keys()).toEqual(['in']);
  });

  it('give up an upload when the command is interrupted', async () => {
    // An upload has several parts from 8 MiB on.
    writeFileSync(path('in'), new Random(SEED).fill(new Uint32Array(9 << 18)));
    const args = ['sort', '-t', 'u32', '--memory', '24M', path('in'), '-o', at('out')];
    let isTold = false;
    store.fault = ({ operation }) => {
      // A second signal would end it at once.
      if (operation === 'UploadPart' && !isTold) isTold = child.kill('SIGINT');
      return undefined;
    };
    const child = spawn(process.execPath, [KEYSWEEP, ...args]);
    const { signal, stderr } = await ending(child);
    expect({ signal, stderr }).toEqual({ signal: 'SIGINT', stderr: '' });
    expect(store.uploads()).toEqual([]);
    expect(store.keys()).toEqual([]);
  });

  it('may name a cluster, too: its inputs, its output and its folder', async () => {
    chmodSync(path(''), 0o755);
    const sorted = await numbersAt('in', 50_000);
    const args = ['submit', '--local', '2', '-t', 'u64', '--parts', '4', at('in'), '-o', at('out')];
    const env = { ...process.env, TMPDIR: path('') };
    const { code, stderr } = await ending(spawn(process.execPath, [KEYSWEEP, ...args], { env }));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expectSame(store.bytes('out'), sorted, `seed ${SEED}`);
    expect(store.keys()).toEqual(['in', 'out']);
    expect(readdirSync(path(''))).toEqual([]);
  });

  it('are not there: one line, and no output', async () => {
    const { code, stderr } = await inProcess(['sort', '-t', 'u8', at('none'), '-o', path('out')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: cannot .*'s3:\/\/bucket\/none'.*\n$/);
    expect(readdirSync(path(''))).toEqual([]);
  });
});

it.each([
  [['sort', 'https://a/b', '-t', 'u8', '-o', 'out'], 'INPUT must be a path, or an address s3:'],
  [
    ['sort', 's3://a/b.parquet', '-c', 'x', '-o', 'out.arrow'],
    'are for whole files of raw numbers',
  ],
  [['sort', 's3://a/b', '-t', 'u8', '--argsort', '-o', 'out'], 'are for whole files of raw'],
  [['sort', 'in', '-t', 'u8', '-o', 's3://a/b', '--resume'], 'need files of this machine'],
  [['sort', 's3://a/b', '-t', 'u8', '-o', 'out', '--processes', '2'], 'need files of this machine'],
  [['gen', '5', '-o', 's3://a/b'], '--output must be a file of this machine'],
])('%j is not a valid command line', async (args, message) => {
  const { code, stderr } = await inProcess(args);
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
});
