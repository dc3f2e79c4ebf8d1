/** Very many requests at once: each is right, short ones are served soon, memory is given back. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import { bitsOf, type KeyArray, type TypedArray } from '@keysweep/core';
import { createSorter } from 'keysweep';
import { expect, it } from 'vitest';

const REQUESTS = isThorough ? 1000 : 200;
/** Threads share requests of these lengths, so that they have to wait for each other. */
const LONG = 2 ** 21;
const MIDDLING = 2 ** 19;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const WIDE = [Uint32Array, Int32Array, Float32Array, Float64Array] as const;
/** Narrow keys are counted at once by the calling thread, and wait for no other request. */
const TYPES = [Uint8Array, Int16Array, ...WIDE] as const;

function fill(keys: TypedArray, random: Random): void {
  if (keys instanceof Float32Array || keys instanceof Float64Array) {
    for (let i = 0; i < keys.length; i++) keys[i] = (random.bits() | 0) / 1000;
    return;
  }
  const bits = bitsOf(keys);
  for (let i = 0; i < bits.length; i++) bits[i] = random.bits();
}

const same = (a: TypedArray, b: TypedArray): boolean =>
  Buffer.from(a.buffer, a.byteOffset, a.byteLength).equals(
    Buffer.from(b.buffer, b.byteOffset, b.byteLength),
  );

it('serves many requests at once, short ones among them, and gives memory back', async () => {
  const seed = runSeed();
  const random = new Random(seed);
  const sorter = await createSorter();
  let threads = 0;
  const count = (worker: { once(event: 'exit', listener: () => void): void }): void => {
    threads++;
    worker.once('exit', () => threads--);
  };
  process.on('worker', count);
  /** MiB of what the engine knows of, and of all that the system has handed out. */
  const held = (): { own: number; all: number } => {
    collect();
    const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
    return { own: (heapUsed + arrayBuffers) / 2 ** 20, all: rss / 2 ** 20 };
  };
  const before = held();
  const wrong: string[] = [];
  /** Long requests that were served while short ones waited. */
  let longDone = 0;
  let maxAwaited = 0;

  async function check(number: number, length: number): Promise<void> {
    const types = length >= LONG ? WIDE : TYPES;
    const keys = new (types[random.below(types.length)] as typeof Uint32Array)(length);
    fill(keys, random);
    const given = keys.slice();
    const expected = keys.slice().sort() as KeyArray;
    const operation = random.below(3);
    const awaited = longDone;
    let isRight: boolean;
    if (operation === 0) {
      await sorter.sort(keys);
      isRight = same(keys, expected);
    } else {
      const values = Uint32Array.from({ length }, (_, i) => i);
      const order =
        operation === 1
          ? (await sorter.sortPairs(keys, values)).values
          : await sorter.argsort(keys);
      isRight = operation === 2 ? same(keys, given) : same(keys, expected);
      for (let i = 0; i < length; i++) {
        const row = order[i] as number;
        if (given[row] !== expected[i]) isRight = false;
        if (i > 0 && expected[i] === expected[i - 1] && (order[i - 1] as number) >= row)
          isRight = false;
      }
    }
    if (!isRight)
      wrong.push(
        `request ${number}: ${keys.constructor.name} of ${length}, operation ${operation}`,
      );
    if (length >= LONG) longDone++;
    if (length < LONG) maxAwaited = Math.max(maxAwaited, longDone - awaited);
  }

  // Long ones among the others, the first of them in front.
  const lengths = Array.from({ length: REQUESTS }, (_, i) => {
    if (i % 100 === 0) return LONG + random.below(2 ** 10);
    if (i % 50 === 25) return MIDDLING + random.below(2 ** 14);
    return random.below(2 ** (1 + random.below(14)));
  });
  await Promise.all(lengths.map((length, number) => check(number, length)));
  expect(wrong, `seed ${seed}`).toEqual([]);
  expect(longDone).toBe(REQUESTS / 100);
  expect(maxAwaited, `seed ${seed}`).toBeLessThanOrEqual(1);
  expect(threads).toBeGreaterThan(0);
  await sorter.release();
  expect(threads).toBe(0);
  let after = held();
  // Buffers are given back some time after they were collected.
  for (let i = 0; i < 40 && after.own - before.own >= 16; i++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    after = held();
  }
  expect(after.own - before.own).toBeLessThan(16);
  // The allocator keeps what is in pieces: with 2,000 requests or 6,000 it is no more.
  expect(after.all - before.all).toBeLessThan(256);
  process.off('worker', count);
  await sorter.close();
});
