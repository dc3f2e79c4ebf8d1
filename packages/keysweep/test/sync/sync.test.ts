/** keysweep/sync in Node: the suite, the asynchronous functions beside it, arguments and locks. */

import { describeBackend } from '@keysweep/conformance';
import { isThorough, Random, runSeed } from '@keysweep/conformance/data';
import { argsort, sort, sortPairs } from 'keysweep';
import { argsortSync, releaseSync, sortPairsSync, sortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../../tools/test/draw-tests.js';
import {
  AT_BOUNDARIES,
  AT_LONG_BOUNDARIES,
  compareColumns,
  compareWithAsync,
  SYNC_CHECKS,
  syncBackend,
} from './sync-checks.js';

drawTests(1 / 2);

const SEED = runSeed();

describeBackend({
  name: 'the synchronous functions',
  create: syncBackend,
  lengths: AT_BOUNDARIES.slice(3),
  checks: SYNC_CHECKS,
});

describe(`the synchronous functions (KEYSWEEP_SEED=${SEED})`, () => {
  it('are as many checks of the suite as there are about results', () => {
    // 12 classes have two each, Float16Array only where it is.
    expect(SYNC_CHECKS.length).toBeGreaterThanOrEqual(2 * 11 + 5);
  });

  it('give what the asynchronous ones give', async () => {
    await compareWithAsync(AT_BOUNDARIES, new Random(SEED));
    await compareColumns([0, 63, 64, 5000], new Random(SEED));
  });

  it('give it at long lengths', async () => {
    const random = new Random(SEED);
    const drawn = AT_LONG_BOUNDARIES[random.below(5)] as number;
    await compareWithAsync(isThorough ? AT_LONG_BOUNDARIES : [drawn], random);
  });

  it('return their arguments', () => {
    const [keys, values] = [Float32Array.of(2, 1), Uint8Array.of(20, 10)];
    expect(sortSync(keys)).toBe(keys);
    const pairs = sortPairsSync(keys, values, { order: 'descending' });
    expect(pairs.keys).toBe(keys);
    expect(pairs.values).toBe(values);
    expect([...keys, ...values]).toEqual([2, 1, 10, 20]);
    expect(argsortSync(keys)).toEqual(Uint32Array.of(1, 0));
  });

  it('sort on after releaseSync', () => {
    const random = new Random(SEED);
    for (let i = 0; i < 2; i++) {
      const keys = random.fill(new Uint32Array(5000));
      expect(sortSync(keys.slice(), { order: 'ascending' })).toEqual(keys.slice().sort());
      releaseSync();
    }
  });

  it('reject what they do not take', () => {
    const keys = Uint32Array.of(3, 1, 2);
    const wrong = (call: () => unknown) => expect(call);
    wrong(() => sortSync([3, 1, 2] as never)).toThrow(/^keys must be a typed array, got an Array/);
    wrong(() => sortSync(keys, { signal: undefined } as never)).toThrow(
      "options has no 'signal'; it takes order, segments, keyBits",
    );
    wrong(() => sortSync(keys, ((a: number, b: number) => a - b) as never)).toThrow(/comparator/);
    wrong(() => sortSync(keys, { order: 'up' as never })).toThrow(TypeError);
    wrong(() => sortSync(keys, { segments: Uint32Array.of(0, 4) })).toThrow(RangeError);
    wrong(() => sortPairsSync(keys, Uint8Array.of(1))).toThrow(RangeError);
    wrong(() => sortPairsSync(keys, keys)).toThrow(/must not overlap/);
    wrong(() => argsortSync([])).toThrow(TypeError);
    expect([...keys]).toEqual([3, 1, 2]);
    structuredClone(keys.buffer, { transfer: [keys.buffer] });
    wrong(() => sortSync(keys)).toThrow(/keys has lost its memory/);
  });

  it('throw an Error while an asynchronous call is at work on the memory', async () => {
    const busy = /^an asynchronous call is still at work on this memory; await that call/;
    for (const length of [8, 100_000]) {
      const keys = new Random(SEED).fill(new Uint32Array(length));
      const before = keys.slice();
      const half = keys.subarray(0, length / 2);
      const sorting = sort(keys, { backend: 'auto' });
      expect(() => sortSync(half)).toThrow(busy);
      expect(() => sortPairsSync(new Uint8Array(length), keys)).toThrow(busy);
      expect(() => argsortSync(keys)).toThrow(busy);
      expect(keys).toEqual(before);
      await sorting;
      expect(keys).toEqual(before.sort());

      // Two that read do not disturb each other, nor do two halves of a buffer.
      const reading = argsort(keys, { backend: 'auto' });
      expect(argsortSync(keys)).toEqual(Uint32Array.from(keys.keys()));
      expect(() => sortSync(keys)).toThrow(busy);
      await reading;
      const pairing = sortPairs(half, half.slice(), { order: 'descending' });
      sortSync(keys.subarray(length / 2), { order: 'descending' });
      await pairing;
      expect(half).toEqual(before.subarray(0, length / 2).reverse());
    }
  });
});
