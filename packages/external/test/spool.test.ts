/** Streams whose chunks take far more memory than their bytes. */

import { readFileSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Random, runSeed } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import { scratch } from './scratch.js';

const SEED = runSeed();
const { path, sort } = scratch();
const MEMORY = 8e6;

setFlagsFromString('--expose-gc');
const gc: () => void = runInNewContext('gc');

/** Bytes that this process has in use. */
function inUse(): number {
  gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

it.each([
  ['of one byte', 1],
  ['without bytes', 0],
])('chunks %s are not held one by one', async (_, length) => {
  const bytes = new Random(SEED).fill(new Uint8Array(300_000));
  let taken = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const before = inUse();
    for (let i = 0; i < bytes.length; i++) {
      // A runtime that hands on what it has read makes a buffer for each.
      yield bytes.slice(i, i + length);
      if (i % 4096 === 0) await turn();
    }
    taken = inUse() - before;
  }
  await sort(chunks(), path('out'), { type: 'u8', memory: MEMORY });
  expect(taken).toBeLessThan(MEMORY);
  const sorted = bytes.slice(0, bytes.length * length).sort();
  expect(readFileSync(path('out')).equals(sorted), `seed ${SEED}`).toBe(true);
});

it.each([
  [400_000, 70_000],
  [400_000, 900_000],
  // Held in memory, in several pieces of what is gathered.
  [1_900_000, 16_000_000],
])('chunks of any lengths keep their order: %i bytes in %i of memory', async (size, memory) => {
  const random = new Random(SEED);
  const records = random.fill(new Uint8Array(size));
  // The memory of a chunk is used again for the next one.
  const shared = Buffer.alloc(70_000);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let from = 0; from < records.length; ) {
      const length = [0, 1, 3, 4095, 4096, 4097, 70_000][random.fill(new Uint8Array(1))[0]! % 7]!;
      const chunk = records.subarray(from, from + length);
      shared.set(chunk);
      yield shared.subarray(0, chunk.length);
      from += length;
    }
  }
  // Records that tie keep their order: here all do.
  const record = { bytes: 4, keys: [{ at: 0, bytes: 1 }] };
  for (let i = 0; i < records.length; i += 4) records[i] = 7;
  await sort(chunks(), path('out'), { record, memory });
  expect(readFileSync(path('out')).equals(records), `seed ${SEED}`).toBe(true);
});

it.each(['an abort', 'what is no bytes'])('%s ends the input', async (by) => {
  const controller = new AbortController();
  let returned = 0;
  let asked = 0;
  const next = async (): Promise<IteratorResult<Uint8Array>> => {
    const value = new Uint8Array(5000);
    if (asked++ < 3) return { done: false, value };
    if (by === 'what is no bytes') return { done: false, value: 'text' as never };
    controller.abort(new Error('enough'));
    return new Promise(() => {});
  };
  const iterator = {
    next,
    async return() {
      returned++;
      return { done: true, value: undefined } as const;
    },
  };
  const input = { [Symbol.asyncIterator]: () => iterator };
  const { signal } = controller;
  await expect(sort(input, path('out'), { type: 'u64', signal })).rejects.toThrow();
  expect(returned).toBe(1);
});
