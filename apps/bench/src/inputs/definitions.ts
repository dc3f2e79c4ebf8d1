/** What `cpu` measures. */

import {
  type BenchmarkDistribution,
  type CommonKeyType,
  classOf,
  makeKeys,
  type Random,
} from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import type { Operation } from 'keysweep';
import type { Input } from '../measure/workload.js';
import { type EntropyDistribution, WORDS_ANDED } from './entropy.js';

/** One line of the benchmark. */
export interface Definition {
  readonly operation: Operation;
  readonly keyType: CommonKeyType;
  readonly length: number;
  readonly distribution: BenchmarkDistribution | EntropyDistribution;
}

const LENGTHS = [10, 100, 1e3, 1e4, 1e5, 1e6, 1e7];
const DISTRIBUTIONS: readonly BenchmarkDistribution[] = ['random', 'sorted', 'reversed', 'equal'];
const OTHER_TYPES: readonly CommonKeyType[] = [
  'u8',
  'i8',
  'u16',
  'i16',
  'i32',
  'f32',
  'u64',
  'i64',
  'f64',
];

/** Every definition, in the order in which they run. */
export const DEFINITIONS: readonly Definition[] = [
  ...DISTRIBUTIONS.flatMap((distribution) =>
    LENGTHS.map(
      (length): Definition => ({ operation: 'sort', keyType: 'u32', length, distribution }),
    ),
  ),
  ...OTHER_TYPES.flatMap((keyType) =>
    [1e3, 1e5, 1e6, 1e7].map(
      (length): Definition => ({ operation: 'sort', keyType, length, distribution: 'random' }),
    ),
  ),
  ...(['argsort', 'sortPairs'] as const).flatMap((operation) =>
    (['u32', 'f64'] as const).flatMap((keyType) =>
      [1e3, 1e5, 1e6].map(
        (length): Definition => ({ operation, keyType, length, distribution: 'random' }),
      ),
    ),
  ),
];

/** A definition's name, which `--only` looks at: "sort u32 1e6 random". */
export function nameOf({ operation, keyType, length, distribution }: Definition): string {
  return `${operation} ${keyType} ${formatLength(length)} ${distribution}`;
}

/** 1000 → "1000", 1e6 → "1e6", 64e6 → "6.4e7". */
function formatLength(length: number): string {
  return length < 1e4 ? String(length) : length.toExponential().replace('+', '');
}

/** A fresh input for `definition`. */
export function makeInput(definition: Definition, random: Random): Input {
  const { operation, keyType, length, distribution } = definition;
  const keys = keysOf(keyType, length, distribution, random);
  const values = operation === 'sortPairs' ? Uint32Array.from({ length }, (_, i) => i) : undefined;
  return { columns: [keys], values };
}

function keysOf(
  keyType: CommonKeyType,
  length: number,
  distribution: Definition['distribution'],
  random: Random,
): KeyArray {
  if (distribution === 'entropy-0') return classOf(keyType).create(length);
  if (!(distribution in WORDS_ANDED)) {
    return makeKeys(keyType, length, distribution as BenchmarkDistribution, random);
  }
  const words = WORDS_ANDED[distribution as keyof typeof WORDS_ANDED];
  return makeKeys(keyType, length, 'random', random, words);
}

/** Samples of a definition without --samples: fewer where each takes long. */
export function samplesOf({ length }: Definition): number {
  if (length <= 1e5) return 11;
  return length <= 1e6 ? 7 : 3;
}

/** Calls in a sample: enough for some milliseconds, which the clock resolves well. */
export function callsOf({ length }: Definition): number {
  return Math.max(1, Math.min(1000, Math.floor(200_000 / length)));
}
