/** Which split a partition samples, and that the kernels' values of it are in the order of keys. */

import {
  JOB,
  KEYS_32,
  KEYS_64,
  MAGNITUDE,
  ORDER,
  PARTITION_BITS,
  WINDOW,
} from '@keysweep/kernels/cpu';
import { describe, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { compileKernels, linkKernels } from '../src/arena/arena.js';
import {
  type JobContext,
  type KeyOrder,
  type Split,
  splitByDigit,
  writeJob,
  writeSplit,
} from '../src/sort/job-context.js';
import { canSampleSplit, sampleSplit, splitOf } from '../src/sort/split.js';

const LENGTH = 5000;
const ORDER_AT = 1024;
const JOB_AT = ORDER_AT + 64;
const COUNTS = JOB_AT + 128;
const KEYS = 65_536;

const random = testRandom();
const memory = new WebAssembly.Memory({ initial: 3, maximum: 3, shared: true });
const kernels = linkKernels(compileKernels(), memory);

const word = (): number => random.below(2 ** 32);
const magnitude = (bits: number): number => Math.floor(2 ** ((word() / 2 ** 32) * bits));

/**
 * The order of integers of `bits` bits from `bias` on, and keys in that order where the split looks
 * for them.
 */
function staged(
  make: () => bigint,
  bits: 32 | 64,
  bias: bigint,
): { context: JobContext; order: KeyOrder } {
  expect(ORDER_AT + ORDER.bytes).toBeLessThanOrEqual(JOB_AT);
  expect(JOB_AT + JOB.bytes).toBeLessThanOrEqual(COUNTS);
  const longs = new BigUint64Array(memory.buffer);
  const words = new Uint32Array(memory.buffer);
  longs[(ORDER_AT + ORDER.bias) / 8] = bias;
  words[(ORDER_AT + ORDER.end) / 4] = bits;
  const keys = Array.from({ length: LENGTH }, make).sort((a, b) => (a < b ? -1 : Number(a > b)));
  const at =
    bits === 64 ? new BigUint64Array(memory.buffer, KEYS) : new Uint32Array(memory.buffer, KEYS);
  keys.forEach((key, i) => {
    at[i] = (
      bits === 64 ? BigInt.asUintN(64, key + bias) : Number(BigInt.asUintN(32, key + bias))
    ) as never;
  });
  const variant = bits === 64 ? KEYS_64 : KEYS_32;
  const job = { plan: { keyBytes: bits / 8, stride: bits / 8 }, keyBits: undefined };
  const order = { begin: 0, end: bits, top: bits, firstValue: 0, variant, bucketVariant: variant };
  return {
    context: {
      job,
      kernels,
      scratch: { order: ORDER_AT, job: JOB_AT },
      words,
      longs,
    } as unknown as JobContext,
    order: order as unknown as KeyOrder,
  };
}

/** The values that kernels make of the keys, one by one, counted from the first in the order. */
function valuesOf(split: Split): number[] {
  const counts = new Uint32Array(memory.buffer, COUNTS, 2 * 2 ** split.width);
  return Array.from({ length: LENGTH }, (_, i) => {
    kernels.count(JOB_AT, i, 1, COUNTS);
    const value = counts.indexOf(1) % 2 ** split.width;
    return (value - split.firstValue + 2 ** split.width) % 2 ** split.width;
  });
}

/**
 * That values rise with keys, and that keys of one value agree in all bits that are not left to
 * sort.
 */
function assertKept(context: JobContext, split: Split, order: KeyOrder, bits: 32 | 64): void {
  writeSplit(context, split);
  writeJob(context, { records: KEYS });
  const staged =
    bits === 64
      ? new BigUint64Array(memory.buffer, KEYS, LENGTH)
      : new Uint32Array(memory.buffer, KEYS, LENGTH);
  const keys = Array.from(staged, BigInt);
  const wrong: unknown[] = [];
  const values = valuesOf(split);
  for (let i = 1; i < LENGTH; i++) {
    const [before, value] = [values[i - 1] as number, values[i] as number];
    if (value < before) wrong.push(`value ${value} of key ${i} after ${before}`);
    const rest = BigInt(kernels.rest(JOB_AT, (value + split.firstValue) % 2 ** split.width));
    if (value === before && Number(rest) < order.end) {
      const isSame = (keys[i] as bigint) >> rest === (keys[i - 1] as bigint) >> rest;
      if (!isSame) wrong.push(`keys ${i - 1} and ${i} differ above bit ${rest}`);
    }
  }
  expect(wrong).toEqual([]);
}

const CASES = [
  { name: 'all magnitudes', bits: 32, make: () => BigInt(magnitude(32)), kind: MAGNITUDE },
  { name: 'all magnitudes', bits: 64, make: () => BigInt(magnitude(64)), kind: MAGNITUDE },
  {
    name: 'few keys far above all others',
    bits: 32,
    make: () => BigInt(random.below(100) === 0 ? word() : word() >>> 8),
    kind: WINDOW,
  },
  {
    name: 'few keys far above all others',
    bits: 64,
    make: () => BigInt(word()) << (random.below(100) === 0 ? 32n : 24n),
    kind: WINDOW,
  },
  { name: 'keys low down', bits: 32, make: () => BigInt(word() >>> 18), kind: WINDOW },
  {
    name: 'keys in the midst of few others',
    bits: 64,
    make: () => (random.below(50) === 0 ? BigInt(word()) << 32n : (3n << 61n) + BigInt(word())),
    kind: WINDOW,
  },
  {
    name: 'two heaps',
    bits: 32,
    make: () => BigInt(random.below(2) * 2 ** 31 + random.below(1000)),
    kind: undefined,
  },
] as const;

describe(`splits, seed ${random.seed}`, () => {
  it.each(CASES)('of $bits bits: $name', ({ bits, make, kind }) => {
    for (const bias of [0n, 1n << BigInt(bits - 1)]) {
      const { context, order } = staged(make, bits, bias);
      expect(canSampleSplit(context.job, order)).toBe(true);
      const sampled = sampleSplit(context, order, KEYS, [0, LENGTH], 0.9 * LENGTH, LENGTH / 12);
      const split = sampled && splitOf(order, sampled);
      expect(split?.variant).toBe(kind === undefined ? undefined : order.variant | kind);
      const firstValue = bias === 0n ? 0 : 2 ** (PARTITION_BITS - 1);
      assertKept(context, splitByDigit({ ...order, firstValue }, bits), order, bits);
      if (split !== undefined) assertKept(context, split, order, bits);
    }
  });
});
