/** Which split a partition takes, and that it keeps what the kernels make of it in order. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { Layout, ORDER_BYTES, SPLIT_BYTES } from '@keysweep/kernels/cpu';
import { describe, expect, it } from 'vitest';
import { compileKernels, linkKernels } from '../src/sort/arena.js';
import { PARTITION_BITS } from '../src/sort/arena-layout.js';
import type { KeyOrder, Seat } from '../src/sort/job-context.js';
import {
  canSplitOtherwise,
  findSplit,
  type Split,
  splitByDigit,
  splitOtherwise,
  writeSplit,
} from '../src/sort/split.js';

const LENGTH = 5000;
const ORDER = 1024;
const SPLIT = ORDER + 64;
const COUNTS = SPLIT + 64;
const KEYS = 65_536;

const random = new Random(runSeed());
const memory = new WebAssembly.Memory({ initial: 3, maximum: 3, shared: true });
const kernels = linkKernels(compileKernels(), memory);

const word = (): number => random.below(2 ** 32);
const magnitude = (bits: number): number => Math.floor(2 ** ((word() / 2 ** 32) * bits));

/** The order of integers of `bits` bits from `bias` on, and keys in that order where the split looks for them. */
function staged(make: () => bigint, bits: 32 | 64, bias: bigint): { seat: Seat; order: KeyOrder } {
  expect(ORDER + ORDER_BYTES).toBeLessThan(SPLIT);
  expect(SPLIT + SPLIT_BYTES).toBeLessThan(COUNTS);
  const longs = new BigUint64Array(memory.buffer);
  const words = new Uint32Array(memory.buffer);
  longs[ORDER / 8 + 1] = bias;
  const keys = Array.from({ length: LENGTH }, make).sort((a, b) => (a < b ? -1 : Number(a > b)));
  const at =
    bits === 64 ? new BigUint64Array(memory.buffer, KEYS) : new Uint32Array(memory.buffer, KEYS);
  keys.forEach((key, i) => {
    at[i] = (
      bits === 64 ? BigInt.asUintN(64, key + bias) : Number(BigInt.asUintN(32, key + bias))
    ) as never;
  });
  const layout = bits === 64 ? Layout.KEYS_64 : Layout.KEYS_32;
  const job = { plan: { keyBytes: bits / 8, stride: bits / 8 }, keyBits: undefined };
  const order = { begin: 0, end: bits, top: bits, first: 0, layout, bucketLayout: layout };
  return {
    seat: {
      job,
      kernels,
      scratch: { order: ORDER, split: SPLIT },
      words,
      longs,
    } as unknown as Seat,
    order: order as unknown as KeyOrder,
  };
}

/** The values that kernels make of the keys, one by one, counted from the first in the order. */
function valuesOf(split: Split, bits: 32 | 64): number[] {
  const counts = new Uint32Array(memory.buffer, COUNTS, 2 * 2 ** split.width);
  return Array.from({ length: LENGTH }, (_, i) => {
    const at = KEYS + (i * bits) / 8;
    kernels.count(split.layout, at, 1, ORDER, split.shift, split.width, COUNTS);
    const value = counts.indexOf(1) % 2 ** split.width;
    return (value - split.first + 2 ** split.width) % 2 ** split.width;
  });
}

/** That values rise with keys, and that keys of one value agree in all bits that are not left to sort. */
function assertKept(seat: Seat, split: Split, order: KeyOrder, bits: 32 | 64): void {
  writeSplit(seat, order, split);
  const keys = Array.from({ length: LENGTH }, (_, i) =>
    bits === 64
      ? (new BigUint64Array(memory.buffer, KEYS)[i] as bigint)
      : BigInt(new Uint32Array(memory.buffer, KEYS)[i] as number),
  );
  const values = valuesOf(split, bits);
  for (let i = 1; i < LENGTH; i++) {
    const [before, value] = [values[i - 1] as number, values[i] as number];
    expect(value).toBeGreaterThanOrEqual(before);
    const rest = BigInt(kernels.rest(SPLIT, (value + split.first) % 2 ** split.width));
    if (value === before && Number(rest) < order.end) {
      expect((keys[i] as bigint) >> rest).toBe((keys[i - 1] as bigint) >> rest);
    }
  }
}

const CASES = [
  { name: 'all magnitudes', bits: 32, make: () => BigInt(magnitude(32)), kind: Layout.MAGNITUDE },
  { name: 'all magnitudes', bits: 64, make: () => BigInt(magnitude(64)), kind: Layout.MAGNITUDE },
  {
    name: 'few keys far above all others',
    bits: 32,
    make: () => BigInt(random.below(100) === 0 ? word() : word() >>> 8),
    kind: Layout.WINDOW,
  },
  {
    name: 'few keys far above all others',
    bits: 64,
    make: () => BigInt(word()) << (random.below(100) === 0 ? 32n : 24n),
    kind: Layout.WINDOW,
  },
  { name: 'keys low down', bits: 32, make: () => BigInt(word() >>> 18), kind: Layout.WINDOW },
  {
    name: 'keys in the midst of few others',
    bits: 64,
    make: () => (random.below(50) === 0 ? BigInt(word()) << 32n : (3n << 61n) + BigInt(word())),
    kind: Layout.WINDOW,
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
      const { seat, order } = staged(make, bits, bias);
      expect(canSplitOtherwise(seat.job, order)).toBe(true);
      const other = findSplit(seat, order, KEYS, [0, LENGTH], 0.9 * LENGTH, LENGTH / 12);
      const split = other && splitOtherwise(order, other);
      expect(split?.layout).toBe(kind === undefined ? undefined : order.layout | kind);
      const first = bias === 0n ? 0 : 2 ** (PARTITION_BITS - 1);
      assertKept(seat, splitByDigit({ ...order, first }, bits), order, bits);
      if (split !== undefined) assertKept(seat, split, order, bits);
    }
  });
});
