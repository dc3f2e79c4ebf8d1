/** Inputs: how keys are distributed, and how many there are. */

import { bitsOf, keyTraits, type TypedArray, traitsOf } from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import type { ArrayClass } from './arrays.js';

/** A way to fill an array with keys. */
export interface Distribution {
  readonly name: string;
  readonly fill: (keys: TypedArray, random: Random) => void;
}

/** Sets every integer of the keys' bits; 64-bit keys take two, low word first. */
function fillBits(keys: TypedArray, bits: (i: number) => number): void {
  const target = bitsOf(keys);
  for (let i = 0; i < target.length; i++) target[i] = bits(i);
}

/** Sets every bit at random. */
export function fillWithBits(keys: TypedArray, random: Random): void {
  random.fill(bitsOf(keys));
}

/** `length` keys of 32 random bits. */
export function randomKeys(length: number, random: Random): Uint32Array<ArrayBuffer> {
  return random.fill(new Uint32Array(length));
}

/** Sets every key to a small whole number, in the keys' own type. */
function fillNumbers(keys: TypedArray, number: (i: number) => number): void {
  const isBig = keys.BYTES_PER_ELEMENT === 8 && !(keys instanceof Float64Array);
  const target = keys as unknown as (number | bigint)[];
  for (let i = 0; i < keys.length; i++) target[i] = isBig ? BigInt(number(i)) : number(i);
}

/** Random bits of the entropy that the and of `rounds` + 1 random words has. */
const lowEntropy = (rounds: number): Distribution => ({
  // Thearling and Smith's benchmark, as Merrill and Grimshaw use it ("High performance and scalable
  // radix sorting", 2011, section 5).
  name: `and of ${rounds + 1} random words`,
  fill: (keys, random) =>
    fillBits(keys, () => {
      let word = random.bits();
      for (let i = 0; i < rounds; i++) word &= random.bits();
      return word;
    }),
});

/** Patterns that a float's order has rules for; NaNs of both signs with payloads. */
const SPECIAL_FLOATS: Readonly<Record<number, readonly bigint[]>> = {
  16: [0n, 0x8000n, 1n, 0x8001n, 0x7c00n, 0xfc00n, 0x7e00n, 0xfe00n, 0x7c01n, 0xffffn],
  32: [
    0n,
    0x80000000n,
    1n,
    0x80000001n,
    0x7f800000n,
    0xff800000n,
    0x7fc00000n,
    0xffc00000n,
    0x7f800001n,
    0xffffffffn,
  ],
  64: [
    0n,
    0x8000000000000000n,
    1n,
    0x8000000000000001n,
    0x7ff0000000000000n,
    0xfff0000000000000n,
    0x7ff8000000000000n,
    0xfff8000000000000n,
    0x7ff0000000000001n,
    0xffffffffffffffffn,
    // NaNs by their low word alone: the high one is that of an infinity.
    0x7ff00000ffffffffn,
    0x7ff0000000000002n,
    0xfff0000000000001n,
  ],
};

/**
 * Sets every bit at random, but three of four floats to zeros, infinities, subnormals and NaNs of
 * both signs.
 */
export function fillSpecial(keys: TypedArray, random: Random): void {
  const { kind, bits } = traitsOf(keys);
  fillWithBits(keys, random);
  if (kind !== 'float') return;
  const special = SPECIAL_FLOATS[bits] as readonly bigint[];
  const target = bitsOf(keys);
  const words = bits === 64 ? 2 : 1;
  for (let i = 0; i < keys.length; i++) {
    if (random.below(4) === 0) continue;
    const pattern = special[random.below(special.length)] as bigint;
    target[i * words] = Number(pattern & 0xffffffffn);
    if (words === 2) target[2 * i + 1] = Number(pattern >> 32n);
  }
}

/** Of 64-bit keys in a narrow range: so large that a double does not hold their lowest bits. */
const HIGH_WORD = 0x40000003;

/** The distributions that every type of key is tried with. */
export const DISTRIBUTIONS: readonly Distribution[] = [
  { name: 'random bits', fill: fillWithBits },
  {
    name: 'random values',
    fill: (keys, random) => {
      if (keys instanceof Float32Array || keys instanceof Float64Array) {
        for (let i = 0; i < keys.length; i++) keys[i] = random.unit() - 0.5;
      } else fillNumbers(keys, () => random.below(100));
    },
  },
  { name: 'sorted', fill: (keys) => fillNumbers(keys, (i) => Math.floor(i / (keys.length / 90))) },
  {
    name: 'reversed',
    fill: (keys) => fillNumbers(keys, (i) => Math.floor((keys.length - i) / (keys.length / 90))),
  },
  {
    name: 'sorted bits',
    fill: (keys, random) => {
      fillWithBits(keys, random);
      keys.sort();
    },
  },
  {
    name: 'reversed bits',
    fill: (keys, random) => {
      fillWithBits(keys, random);
      keys.sort().reverse();
    },
  },
  {
    name: 'nearly sorted',
    fill: (keys, random) => {
      fillWithBits(keys, random);
      keys.sort();
      const bits = bitsOf(keys);
      for (let i = 0; i < bits.length / 50; i++) bits[random.below(bits.length)] = random.bits();
    },
  },
  {
    name: 'all equal',
    fill: (keys, random) => {
      const pattern = [random.bits(), random.bits()] as const;
      fillBits(keys, (i) => pattern[i & (keys.BYTES_PER_ELEMENT >> 3)] as number);
    },
  },
  { name: 'two values', fill: (keys, random) => fillNumbers(keys, () => random.below(2)) },
  { name: '16 distinct', fill: (keys, random) => fillNumbers(keys, () => random.below(16) * 7) },
  lowEntropy(1),
  lowEntropy(4),
  {
    name: 'Zipf',
    fill: (keys, random) => fillNumbers(keys, () => Math.floor(120 ** random.unit()) - 1),
  },
  {
    name: 'one outlier',
    fill: (keys, random) => {
      fillNumbers(keys, () => 5);
      const bits = bitsOf(keys);
      if (bits.length > 0) bits[random.below(bits.length)] = random.bits();
    },
  },
  {
    name: '24-bit range',
    fill: (keys, random) =>
      fillBits(keys, (i) =>
        keys.BYTES_PER_ELEMENT === 8 && i % 2 === 1
          ? HIGH_WORD
          : 0x55000000 + random.below(2 ** 24),
      ),
  },
  { name: 'sawtooth', fill: (keys) => fillNumbers(keys, (i) => i % 61) },
  {
    name: 'organ pipe',
    fill: (keys) =>
      fillNumbers(keys, (i) => Math.floor((Math.min(i, keys.length - i) * 100) / keys.length)),
  },
];

/** The distributions that make sense for a class: all, and for floats the special values. */
export function distributionsFor({ keyType }: ArrayClass): readonly Distribution[] {
  const { kind } = keyTraits(keyType);
  if (kind !== 'float') return DISTRIBUTIONS;
  return [...DISTRIBUTIONS, { name: 'special floats', fill: fillSpecial }];
}

/** Lengths at which implementations change their method, by where they stand to powers of two. */
export const LENGTH_KINDS: readonly (readonly number[])[] = [
  [0, 1, 2, 3],
  [7, 8, 9, 31, 32, 33, 40, 41],
  [63, 127, 255, 511, 1023, 2047, 4095],
  [64, 256, 1024, 2048, 4096],
  [65, 129, 257, 513, 1025, 2049, 4097],
  [2999, 3000, 3001],
];

/** All of them. */
export const LENGTHS: readonly number[] = LENGTH_KINDS.flat();

/** More of them, for a few types of key. */
export const LONG_LENGTHS: readonly number[] = [65_535, 65_536, 65_537];
