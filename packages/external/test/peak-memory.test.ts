/** `memory` bounds what a sort takes, whatever it is given: a larger input takes no more. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkFile } from '../dist/index.js';
import { BUCKET, openStore, type Store } from './s3-server.js';

const SEED = runSeed();

/** Bytes of a piece; inputs are made of pieces that are all the same. */
const PIECE = 2 ** 20;
const MEMORY = 8e6;
/**
 * Of the bytes that a larger input has more, the share that its sort may take more: garbage of
 * streams that is not collected yet. A sort that kept its input would take all of them.
 */
const MORE = 0.55;

/**
 * A program that sorts what it is told to. It prints the most bytes that were in use at a time, and
 * that it had of the system.
 */
const PROGRAM = `
import { readFileSync } from 'node:fs';
import { sortFile } from ${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)};
const [how, size, input, output] = process.argv.slice(2);
async function* generated() {
  const piece = readFileSync(input);
  for (let made = 0; made < Number(size); made += piece.length) yield Uint8Array.from(piece);
}
let inUse = 0;
let seen = 0;
const onProgress = ({ completed }) => {
  if (Math.abs(completed - seen) < 2e6) return;
  seen = completed;
  gc();
  const { heapUsed, external } = process.memoryUsage();
  inUse = Math.max(inUse, heapUsed + external);
};
const options = { type: 'u64', memory: ${MEMORY}, onProgress };
if (how === 's3') {
  const { s3Storage } = await import(
    ${JSON.stringify(new URL('../dist/s3.js', import.meta.url).href)}
  );
  options.storage = s3Storage();
}
const inputs = { pipe: () => process.stdin, generator: generated };
await sortFile(inputs[how]?.() ?? input, output, options);
let taken = process.resourceUsage().maxRSS * 1024;
// On Linux that may be the memory of who started the program, which this figure is not.
try {
  taken = Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
} catch {
  // Only Linux has that file: elsewhere the figure of the system is the right one.
}
console.log(JSON.stringify({ inUse, taken }));
`;

let folder = '';
let piece: Uint8Array;
let store: Store;
const directory = mkdtempSync(join(tmpdir(), 'keysweep-peak-'));

beforeAll(async () => {
  store = await openStore(directory);
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keysweep-external-'));
  piece = new Random(SEED).fill(new Uint8Array(PIECE));
  writeFileSync(join(folder, 'program.mjs'), PROGRAM);
  writeFileSync(join(folder, 'piece'), piece);
});
afterEach(() => rmSync(folder, { recursive: true }));
afterAll(async () => {
  await store.close();
  rmSync(directory, { recursive: true });
});

type How = 'file' | 'pipe' | 'generator' | 's3';

interface Peak {
  readonly inUse: number;
  readonly taken: number;
}

/** Sorts `size` bytes; resolves to the most memory that it took. */
async function peakOf(how: How, size: number): Promise<Peak> {
  const path = (name: string): string => join(folder, name);
  const whole = (): Buffer => Buffer.concat(Array.from({ length: size / PIECE }, () => piece));
  const at = (key: string): string => `s3://${BUCKET}/${key}`;
  if (how === 's3') await store.put('in', whole());
  if (how === 'file') writeFileSync(path('in'), whole());
  const input = { file: path('in'), pipe: '', generator: path('piece'), s3: at('in') }[how];
  const args = ['--expose-gc', path('program.mjs'), how, `${size}`, input, path('out')];
  const env = {
    ...process.env,
    // The client of S3 warns of versions of Node.
    NODE_NO_WARNINGS: '1',
    AWS_ENDPOINT_URL_S3: store.endpoint,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
  const child = spawn(process.execPath, args, { cwd: folder, env });
  if (how === 'pipe') {
    const pieces = Readable.from(Array.from({ length: size / PIECE }, () => piece));
    pieces.pipe(child.stdin);
  } else child.stdin.end();
  const { stdout, stderr } = await said(child);
  expect(stderr).toBe('');
  const { records, misplaced, repeats } = await checkFile(path('out'), { type: 'u64' });
  // Each key is there once for each piece.
  const keys = new Set(new BigUint64Array(piece.buffer)).size;
  expect({ records, misplaced, repeats }, `seed ${SEED}`).toEqual({
    records: size / 8,
    misplaced: -1,
    repeats: size / 8 - keys,
  });
  return JSON.parse(stdout);
}

async function said(child: ChildProcess): Promise<{ stdout: string; stderr: string }> {
  const [all, errors]: Buffer[][] = [[], []];
  child.stdout?.on('data', (chunk: Buffer) => all?.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => errors?.push(chunk));
  await new Promise((resolve) => child.on('close', resolve));
  return { stdout: `${Buffer.concat(all ?? [])}`, stderr: `${Buffer.concat(errors ?? [])}` };
}

describe('four times the input takes no more memory', () => {
  const ways: readonly (readonly [How, pieces: number])[] = [
    ['file', 16],
    ['pipe', 16],
    ['generator', 16],
    // The store of the tests is slow.
    ['s3', 8],
  ];

  it.each(sample(ways, 1, SEED))(
    'as %s',
    async (how, pieces) => {
      const small = await peakOf(how, pieces * PIECE);
      const large = await peakOf(how, 4 * pieces * PIECE);
      // Else nothing was measured.
      expect(Math.min(small.inUse, small.taken)).toBeGreaterThan(MEMORY / 2);
      const most = MORE * 3 * pieces * PIECE;
      expect(large.inUse - small.inUse).toBeLessThan(most);
      // The client of S3 leaves more garbage than that, whatever the size of the input.
      if (how !== 's3') expect(large.taken - small.taken).toBeLessThan(most);
    },
    120_000,
  );
});
