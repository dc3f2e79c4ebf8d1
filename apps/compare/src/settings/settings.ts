/** The settings of a run: everything that a permalink holds. */

import { arrayNameOf, KEY_TYPES, keyTraits } from '@keysweep/core';
import type { KeyType, Operation, Order } from 'keysweep';

/**
 * What is measured beside the built-in sort: the backends, from an ordinary array to an ordinary
 * array, and 'resident', the sort of keys that are in GPU buffers already.
 */
export const RIVALS = ['cpu', 'webgpu', 'resident', 'webgl2'] as const;
export type Rival = (typeof RIVALS)[number];

/** What is measured: the built-in sort, its rivals, and for a column of a file what 'auto' does. */
export type SeriesId = 'builtin' | Rival | 'auto';
export const SERIES: readonly SeriesId[] = ['builtin', ...RIVALS, 'auto'];

/** What moves with the keys, or is the result instead. */
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
type Distribution = (typeof DISTRIBUTIONS)[number];

/** In place of a distribution: keys that are not drawn, but a column of somebody's file. */
export const COLUMN = 'column';

/** Most random words that are anded to make a key: entropy falls with each. */
export const MAX_WORDS = 5;

export const MAX_LENGTH = 2 ** 28;
export const MAX_SAMPLES = 99;

export interface Settings {
  readonly keyType: KeyType;
  readonly payload: Payload;
  readonly order: Order;
  readonly distribution: Distribution | typeof COLUMN;
  /** Random words anded, 1 to MAX_WORDS; of distribution 'random'. */
  readonly words: number;
  /** Ascending, each once. */
  readonly lengths: readonly number[];
  /** Times that each is measured at each length. */
  readonly samples: number;
  /** Longest sort in seconds: a series that takes longer is left out of longer arrays. */
  readonly patience: number;
  /** Seed of the random keys, an integer below 2^32. */
  readonly seed: number;
  readonly rivals: readonly Rival[];
  /** Whether software adapters are measured too, and marked as such. */
  readonly software: boolean;
  /** Whether the dispatcher calibrates itself on this machine first. */
  readonly calibrate: boolean;
}

export const DEFAULTS: Settings = {
  keyType: 'f32',
  payload: 'none',
  order: 'ascending',
  distribution: 'random',
  words: 1,
  // A run of these takes about five seconds.
  lengths: [1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6],
  samples: 5,
  patience: 5,
  seed: 1,
  rivals: ['cpu', 'webgpu'],
  software: false,
  calibrate: false,
};

/** The library's operation for a payload. */
export function operationOf(payload: Payload): Operation {
  if (payload === 'none') return 'sort';
  return payload === 'indices' ? 'argsort' : 'sortPairs';
}

/** The backend of a series; 'resident' is WebGPU's. */
export const backendOf = <S extends SeriesId>(series: S): Exclude<S, 'resident'> | 'webgpu' =>
  series === 'resident' ? 'webgpu' : (series as Exclude<S, 'resident'>);

/** Bits of entropy of a `bits`-bit key: the and of `words` random words (Thearling and Smith). */
export function entropyOf(words: number, bits: number): number {
  const p = 2 ** -words;
  return -bits * (p * Math.log2(p) + (1 - p) * Math.log2(1 - p));
}

/** Settings from unchecked ones: what is missing or invalid is as in DEFAULTS. */
export function settingsFrom(loose: { readonly [K in keyof Settings]?: unknown }): Settings {
  const oneOf = <T>(list: readonly T[], value: unknown, fallback: T): T =>
    (list as readonly unknown[]).includes(value) ? (value as T) : fallback;
  const whole = (value: unknown, least: number, most: number, fallback: number): number =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
      ? (value as number)
      : fallback;
  const list = <T>(value: unknown, isGood: (item: unknown) => item is T): readonly T[] =>
    Array.isArray(value) ? [...new Set(value.filter(isGood))] : [];
  const isLength = (item: unknown): item is number => whole(item, 1, MAX_LENGTH, 0) > 0;
  const isRival = (item: unknown): item is Rival => (RIVALS as readonly unknown[]).includes(item);
  const lengths = [...list(loose.lengths, isLength)].sort((a, b) => a - b);
  return {
    keyType: oneOf(KEY_TYPES, loose.keyType, DEFAULTS.keyType),
    payload: oneOf(PAYLOADS, loose.payload, DEFAULTS.payload),
    order: oneOf(['ascending', 'descending'], loose.order, DEFAULTS.order),
    distribution: oneOf([...DISTRIBUTIONS, COLUMN], loose.distribution, DEFAULTS.distribution),
    words: whole(loose.words, 1, MAX_WORDS, DEFAULTS.words),
    lengths: lengths.length > 0 ? lengths : DEFAULTS.lengths,
    samples: whole(loose.samples, 1, MAX_SAMPLES, DEFAULTS.samples),
    patience: whole(loose.patience, 1, 3600, DEFAULTS.patience),
    seed: whole(loose.seed, 0, 2 ** 32 - 1, DEFAULTS.seed),
    rivals: Array.isArray(loose.rivals)
      ? RIVALS.filter((rival) => list(loose.rivals, isRival).includes(rival))
      : DEFAULTS.rivals,
    software: loose.software === true,
    calibrate: loose.calibrate === true,
  };
}

/** How much chance is in a `bits`-bit key: "all bits", or "26 of 32 bits, mostly zeros". */
export function describeEntropy(words: number, bits: number): string {
  if (words === 1) return `all ${bits} bits`;
  return `${entropyOf(words, bits).toFixed(0)} of ${bits} bits, mostly zeros`;
}

/** "Uint32Array, keys alone, ascending, random": for headings and records. */
export function describeSettings(settings: Settings): string {
  const { keyType, payload, order, distribution, words } = settings;
  const arrayName = arrayNameOf(keyType);
  const { bits } = keyTraits(keyType);
  const what = {
    none: `${arrayName}, keys alone`,
    '32': `${arrayName} with a 32-bit payload`,
    '64': `${arrayName} with a 64-bit payload`,
    indices: `${arrayName}, the sorting permutation (argsort)`,
  }[payload];
  const how =
    distribution === 'random' && words > 1
      ? `random in ${describeEntropy(words, bits)}`
      : DISTRIBUTION_WORDS[distribution];
  return `${what}, ${order}, ${how}`;
}

export const DISTRIBUTION_WORDS: Readonly<Record<Settings['distribution'], string>> = {
  random: 'random',
  sorted: 'sorted already',
  reversed: 'in reverse order',
  'nearly-sorted': 'sorted but for 1 % of the keys',
  few: '16 different values',
  zipf: 'Zipf: a few values are most of the keys',
  equal: 'all keys equal',
  column: 'a column of a file',
};
