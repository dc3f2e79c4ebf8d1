/** What a run measures: all that a permalink says of it. */

import type { BackendName, KeyType, Operation, Order } from 'keysweep';
import { isKeyType, KEY_TYPES } from '../keys.js';

/**
 * What is measured beside the built-in sort: the backends, from an ordinary array to an ordinary array, and 'resident',
 * which sorts data that lies in GPU buffers already.
 */
export const RIVALS = ['cpu', 'webgpu', 'resident', 'webgl2'] as const;
export type Rival = (typeof RIVALS)[number];

/** A line in a chart. */
export type SeriesId = 'builtin' | Rival;
export const SERIES: readonly SeriesId[] = ['builtin', ...RIVALS];

/** What moves along with the keys, or is asked for instead. */
export const PAYLOADS = ['none', '32', '64', 'indices'] as const;
export type Payload = (typeof PAYLOADS)[number];

export const DISTRIBUTIONS = [
  'random',
  'sorted',
  'reversed',
  'nearly-sorted',
  'few',
  'zipf',
  'equal',
] as const;
export type Distribution = (typeof DISTRIBUTIONS)[number];

/** How many random words are anded to make a key: entropy falls with each. */
export const MOST_WORDS = 5;

export const LONGEST = 2 ** 28;
export const MOST_SAMPLES = 99;

export interface Settings {
  readonly keyType: KeyType;
  readonly payload: Payload;
  readonly order: Order;
  readonly distribution: Distribution;
  /** Random words anded, 1 to MOST_WORDS; of distribution 'random'. */
  readonly words: number;
  /** Ascending, each once. */
  readonly lengths: readonly number[];
  /** Times that each is measured at each length. */
  readonly samples: number;
  /** Seconds: who takes longer for one sort is not given longer arrays. */
  readonly patience: number;
  /** Of the random keys, a whole number below 2^32. */
  readonly seed: number;
  readonly rivals: readonly Rival[];
  /** Whether software adapters are measured too, under their own name. */
  readonly software: boolean;
  /** Whether the dispatcher measures the machine first. */
  readonly calibrate: boolean;
}

export const DEFAULTS: Settings = {
  keyType: 'u32',
  payload: 'none',
  order: 'ascending',
  distribution: 'random',
  words: 1,
  lengths: [10, 12, 14, 16, 18, 20, 22].map((power) => 2 ** power),
  samples: 7,
  patience: 5,
  seed: 1,
  rivals: RIVALS,
  software: false,
  calibrate: false,
};

/** The operation of the library that a payload stands for. */
export function operationOf(payload: Payload): Operation {
  if (payload === 'none') return 'sort';
  return payload === 'indices' ? 'argsort' : 'sortPairs';
}

/** The backend that a series is of; what is on the GPU is WebGPU's. */
export const backendOf = (series: SeriesId): BackendName =>
  series === 'resident' ? 'webgpu' : series;

/** Bits of entropy a key of `bits` bits has, as the and of `words` random words: Thearling and Smith's measure. */
export function entropyOf(words: number, bits: number): number {
  const p = 2 ** -words;
  return -bits * (p * Math.log2(p) + (1 - p) * Math.log2(1 - p));
}

/** Settings out of loose ones: what is missing or can't be is as in DEFAULTS. */
export function settingsFrom(loose: { readonly [K in keyof Settings]?: unknown }): Settings {
  const oneOf = <T>(list: readonly T[], value: unknown, fallback: T): T =>
    (list as readonly unknown[]).includes(value) ? (value as T) : fallback;
  const whole = (value: unknown, least: number, most: number, fallback: number): number =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? (value as number)
      : fallback;
  const list = <T>(value: unknown, isGood: (item: unknown) => item is T): readonly T[] =>
    Array.isArray(value) ? [...new Set(value.filter(isGood))] : [];
  const isLength = (item: unknown): item is number => whole(item, 1, LONGEST, 0) > 0;
  const isRival = (item: unknown): item is Rival => (RIVALS as readonly unknown[]).includes(item);
  const lengths = [...list(loose.lengths, isLength)].sort((a, b) => a - b);
  return {
    keyType: isKeyType(loose.keyType) ? loose.keyType : DEFAULTS.keyType,
    payload: oneOf(PAYLOADS, loose.payload, DEFAULTS.payload),
    order: oneOf(['ascending', 'descending'], loose.order, DEFAULTS.order),
    distribution: oneOf(DISTRIBUTIONS, loose.distribution, DEFAULTS.distribution),
    words: whole(loose.words, 1, MOST_WORDS, DEFAULTS.words),
    lengths: lengths.length > 0 ? lengths : DEFAULTS.lengths,
    samples: whole(loose.samples, 1, MOST_SAMPLES, DEFAULTS.samples),
    patience: whole(loose.patience, 1, 3600, DEFAULTS.patience),
    seed: whole(loose.seed, 0, 2 ** 32 - 1, DEFAULTS.seed),
    rivals: Array.isArray(loose.rivals)
      ? RIVALS.filter((rival) => list(loose.rivals, isRival).includes(rival))
      : DEFAULTS.rivals,
    software: loose.software === true,
    calibrate: loose.calibrate === true,
  };
}

/** "1,048,576 random Uint32Array keys, ascending": for headings and records. */
export function describeSettings(settings: Settings): string {
  const { keyType, payload, order, distribution, words } = settings;
  const { arrayName, bits } = KEY_TYPES[keyType];
  const what = {
    none: `${arrayName}, keys alone`,
    '32': `${arrayName} with a 32-bit payload`,
    '64': `${arrayName} with a 64-bit payload`,
    indices: `${arrayName}, the sorting permutation (argsort)`,
  }[payload];
  const how =
    distribution === 'random'
      ? `random, ${entropyOf(words, bits).toFixed(1)} of ${bits} bits of entropy`
      : DISTRIBUTION_WORDS[distribution];
  return `${what}, ${order}, ${how}`;
}

export const DISTRIBUTION_WORDS: Readonly<Record<Distribution, string>> = {
  random: 'random',
  sorted: 'sorted already',
  reversed: 'in reverse order',
  'nearly-sorted': 'sorted but for 1 % of the keys',
  few: '16 different keys',
  zipf: 'Zipf: few keys are most of them',
  equal: 'all keys equal',
};
