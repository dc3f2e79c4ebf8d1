/** Keys that are made on the GPU: WGSL expressions of them, by a seed. */

import { WORDS_ANDED } from '../../inputs/entropy.js';

/** Words of a key, of each type that is measured. */
export const KEY_WORDS = { u32: 1, f32: 1, u64: 2, f64: 2 } as const;

export type MeasuredType = keyof typeof KEY_WORDS;

/** Types whose keys the GPU makes: a word of a key, made of 32 bits whose order it keeps. */
const WORD_OF = {
  u32: (bits: string): string => bits,
  // Whole numbers between -2^31 and 2^31: no NaN, no -0.
  f32: (bits: string): string => `bitcast<u32>(f32(bitcast<i32>((${bits}) ^ 0x80000000u)))`,
  u64: (bits: string): string => bits,
} as const;

export type MadeType = keyof typeof WORD_OF;
export const MADE_TYPES = Object.keys(WORD_OF) as readonly MadeType[];

/**
 * How keys lie before the sort. The entropies, in bits per bit of a key, are those of Merrill and
 * Grimshaw, "Revisiting sorting for GPGPU stream architectures", 2010: the bitwise and of 2, 3, 4
 * and 5 random words, and zeros. 'random' has entropy 1. 'few' are 16 different keys; 'equal' are
 * all the same one, which is not zero. Of 'bucket' all keys have the same 16 highest bits, of
 * 'half-bucket' every other one.
 */
export const DISTRIBUTIONS = [
  'random',
  'entropy-0.811',
  'entropy-0.544',
  'entropy-0.337',
  'entropy-0.201',
  'entropy-0',
  'sorted',
  'reversed',
  'few',
  'equal',
  'bucket',
  'half-bucket',
] as const;

export type GpuDistribution = (typeof DISTRIBUTIONS)[number];

/** A word with highest bits that depend on the seed alone. */
const bucketed = (i: string): string =>
  `((draw(0u, 2u) & 0xffff0000u) | (draw(${i}, 0u) & 0xffffu))`;

/**
 * The WGSL expression of word `i` of `length` keys. `draw(i, j)` is the j-th random word for `i`.
 * The low word of wide keys is random alone, because the high one decides.
 */
export function wordExpression(
  keyType: MeasuredType,
  distribution: GpuDistribution,
  length: number,
): string {
  if (keyType === 'f64') throw new TypeError('the GPU makes no f64 keys');
  const words = KEY_WORDS[keyType];
  const of = WORD_OF[keyType];
  const key = `(i / ${words}u)`;
  const word = `(i % ${words}u)`;
  // A key somewhere in each of `length` equal parts of the range.
  const step = Math.floor(2 ** 32 / length);
  const ascending = (place: string): string =>
    `select(draw(i, 0u), ${place} * ${step}u + draw(i, 0u) % ${step}u, ${word} == ${words - 1}u)`;
  switch (distribution) {
    case 'random':
      return of('draw(i, 0u)');
    case 'entropy-0':
      return '0u';
    case 'sorted':
      return of(ascending(key));
    case 'reversed':
      return of(ascending(`(${length - 1}u - ${key})`));
    case 'few':
      return of(`draw((draw(${key}, 1u) & 15u) * ${words}u + ${word}, 0u)`);
    case 'equal':
      return of(`draw(${word}, 0u)`);
    case 'bucket':
      return of(`select(draw(i, 0u), ${bucketed('i')}, ${word} == ${words - 1}u)`);
    case 'half-bucket':
      return of(
        `select(draw(i, 0u), ${bucketed('i')},
          ${word} == ${words - 1}u && (draw(${key}, 1u) & 1u) == 1u)`,
      );
    default: {
      const anded = Array.from({ length: WORDS_ANDED[distribution] }, (_, j) => `draw(i, ${j}u)`);
      return of(anded.join(' & '));
    }
  }
}

/**
 * What the expressions use; `seed` is a u32 of the shader's, `hash` a permutation. Two of these,
 * for one alone would be a permutation of the indices, without ties.
 */
export const DRAW = `
  fn draw(i: u32, j: u32) -> u32 {
    let s = hash(seed + j * 0x9e3779b9u);
    return hash(i ^ s) ^ hash(hash(i) + s);
  }`;
