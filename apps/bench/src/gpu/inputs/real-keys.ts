/** Keys as programs have them, made by a seed, piece by piece: `gpu --keys` reads the files. */

import { classOf, Random } from '@keysweep/conformance/data';
import type { TypedArray } from '@keysweep/core';
import { WORDS_ANDED } from '../../inputs/entropy.js';
import type { MeasuredType } from './distributions.js';

/** The key at a place of the file. */
type Draw = (random: Random, place: number) => number | bigint;

/** A kind of keys. */
export interface RealKeys {
  /** What tables call it. */
  readonly text: string;
  /** What draws keys for a file of `length`; if it is missing, all bits are random. */
  readonly drawer?: (length: number) => Draw;
}

const YEAR_SECONDS = 365 * 24 * 60 * 60;
/** Seconds from 1970 to 14 November 2023. */
const START_SECONDS = 1.7e9;

/** Milliseconds of the first of them, since an epoch of the ids' own, and of a day. */
const START_MS = 2 ** 40;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Names of all kinds, with which their files begin: TYPE-KIND. Tables have them in this order. */
export const REAL_NAMES = [
  'f32-unit',
  'f32-normal',
  'f32-prices',
  'u32-ids24',
  'u32-zipf',
  'u32-seconds',
  'f64-ms',
  'f64-unit',
  'f64-normal',
  'u64-hash',
  'u32-repeats',
  'u32-uniform',
  'f32-depths',
  'f32-powers',
  'u32-morton',
  'u32-ipv4',
  'u32-codes',
  'u32-nearly',
  'f64-exponential',
  'u64-snowflake',
] as const;

export type RealName = (typeof REAL_NAMES)[number];

export const REAL_KEYS: Readonly<Record<RealName, RealKeys>> = {
  'f32-unit': {
    text: '`f32` unit floats, such as `Math.random()`',
    drawer: () => (random) => random.unit(),
  },
  'f32-normal': { text: '`f32` normal floats', drawer: () => normal },
  'f32-prices': {
    text: '`f32` prices in whole cents',
    // Half of them are below 20, and one in 20 is above 140.
    drawer: () => (random) => Math.round(2000 * Math.exp(1.2 * normal(random))) / 100,
  },
  'u32-ids24': {
    text: '`u32` ids below 2²⁴',
    drawer: () => (random) => random.below(2 ** 24),
  },
  'u32-zipf': { text: '`u32` Zipf ids', drawer: () => zipf(1_000_000, 1.1) },
  'u32-seconds': {
    text: '`u32` seconds of a year',
    drawer: () => (random) => START_SECONDS + random.below(YEAR_SECONDS),
  },
  'f64-ms': {
    text: '`f64` timestamps in ms of a year',
    drawer: () => (random) =>
      1000 * START_SECONDS + Math.floor(1000 * YEAR_SECONDS * wideUnit(random)),
  },
  'f64-unit': { text: '`f64` unit floats', drawer: () => wideUnit },
  'f64-normal': { text: '`f64` normal floats', drawer: () => normal },
  'u64-hash': { text: '`u64` hashes' },
  'u32-repeats': {
    text: '`u32` uniform bits, each key 2 or 3 times',
    drawer: (length) => {
      const ids = Math.ceil(length / 2.5);
      return (random) => scattered(random.below(ids));
    },
  },
  'u32-uniform': { text: '`u32` uniform bits' },
  'f32-depths': {
    text: '`f32` depths of splats',
    // Half of them are within 4 of the camera, and one in 40 is more than 20 away.
    drawer: () => (random) => 0.2 + 4 * Math.exp(0.8 * normal(random)),
  },
  'f32-powers': {
    text: '`f32` of both signs, evenly over 60 powers of two',
    drawer: () => (random) => (random.below(2) - 0.5) * 2 ** (60 * random.unit() - 30),
  },
  'u32-morton': {
    text: '`u32` Morton codes of points in clusters',
    drawer: morton,
  },
  'u32-ipv4': {
    text: '`u32` IPv4 addresses of 300 networks',
    drawer: () => {
      const network = zipf(300, 1);
      return (random) => ((Number(network(random, 0)) & 0xffff0000) | random.below(2 ** 16)) >>> 0;
    },
  },
  'u32-codes': {
    text: '`u32` codes of 1,000 values',
    drawer: () => (random) => random.below(1000),
  },
  'u32-nearly': {
    text: '`u32` in order, but for one in 100',
    drawer: (length) => {
      const part = Math.floor(2 ** 32 / length);
      return (random, place) =>
        random.below(100) === 0 ? random.bits() : place * part + random.below(part);
    },
  },
  'f64-exponential': {
    text: '`f64` exponential waiting times',
    drawer: () => (random) => -Math.log(1 - random.unit()),
  },
  'u64-snowflake': {
    text: '`u64` ids of a day: time, machine, number',
    drawer: () => (random) =>
      BigInt(START_MS + random.below(DAY_MS)) * 2n ** 22n +
      BigInt(random.below(64) * 4096 + Math.floor(-8 * Math.log(1 - random.unit()))),
  },
};

/** Kinds that no program has: papers' sorts are measured on them. */
export const OTHER_NAMES = [
  'u32-reversed',
  'u32-entropy-0.811',
  'u32-entropy-0.544',
  'u32-entropy-0.337',
  'u32-entropy-0.201',
  'u32-entropy-0',
] as const;

export type KeysName = RealName | (typeof OTHER_NAMES)[number];

function otherDrawer(distribution: string): RealKeys['drawer'] {
  if (distribution !== 'reversed') {
    const words = WORDS_ANDED[distribution as keyof typeof WORDS_ANDED] ?? 0;
    return () => (random) => {
      let key = words && -1;
      for (let word = 0; word < words; word++) key &= random.bits();
      return key;
    };
  }
  return (length) => {
    // A key somewhere in each of `length` equal parts of the range.
    const part = Math.floor(2 ** 32 / length);
    return (random, place) => (length - 1 - place) * part + random.below(part);
  };
}

export const typeOf = (name: KeysName): MeasuredType => name.split('-')[0] as MeasuredType;

/** Keys of a piece: it has a seed of its own, so that threads can make pieces in any order. */
export const PIECE: number = 2 ** 20;

/** What makes any piece of `length` keys. */
export function piecesOf(
  name: KeysName,
  length: number,
  seed: number,
): (piece: number) => TypedArray {
  const real = REAL_KEYS[name as RealName];
  const drawer = real ? real.drawer : otherDrawer(name.slice('u32-'.length));
  const draw = drawer?.(length);
  const kind = [...REAL_NAMES, ...OTHER_NAMES].indexOf(name);
  const { create } = classOf(typeOf(name));
  return (piece) => {
    const keys = create(Math.min(PIECE, length - piece * PIECE));
    const random = new Random(seed, kind, Math.log2(length), piece);
    if (draw === undefined) random.fill(new Uint32Array(keys.buffer));
    else for (let i = 0; i < keys.length; i++) keys[i] = draw(random, piece * PIECE + i);
    return keys;
  };
}

/** A multiple of 2^-52 in [0, 1). */
function wideUnit(random: Random): number {
  const high = random.unit();
  return high + (random.bits() >>> 12) / 2 ** 52;
}

/** A number of the normal distribution: Box and Muller, "A note on the generation of random normal
 * deviates", 1958. */
function normal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.unit()));
  return radius * Math.cos(2 * Math.PI * random.unit());
}

/** Points near 64 centres, as 10 bits of each of three coordinates that take turns. */
function morton(): Draw {
  const centres = Array.from({ length: 64 }, (_, i) => {
    const random = new Random(i);
    return [random.unit(), random.unit(), random.unit()];
  });
  return (random) => {
    const centre = centres[random.below(64)] as number[];
    let code = 0;
    for (const [axis, middle] of centre.entries()) {
      const coordinate = Math.floor(1024 * (middle + 0.05 * normal(random)));
      const within = Math.min(1023, Math.max(0, coordinate));
      for (let bit = 0; bit < 10; bit++) code |= ((within >> bit) & 1) << (3 * bit + axis);
    }
    return code;
  };
}

/** `id` spread over 32 bits: the first word of a generator is a permutation of its seed. */
const scattered = (id: number): number => new Random(id).bits();

/** One of `ids` ids, of which the r-th most frequent has the weight r^-exponent. */
function zipf(ids: number, exponent: number): Draw {
  const sums = new Float64Array(ids);
  let total = 0;
  for (let rank = 0; rank < ids; rank++) sums[rank] = total += (rank + 1) ** -exponent;
  // Where to search for each of `ids` equal parts of the total: mostly, one step is enough.
  const starts = new Uint32Array(ids);
  for (let part = 0, rank = 0; part < ids; part++) {
    while ((sums[rank] as number) <= (part / ids) * total) rank++;
    starts[part] = rank;
  }
  return (random) => {
    const unit = random.unit();
    let rank = starts[Math.floor(unit * ids)] as number;
    while ((sums[rank] as number) < unit * total) rank++;
    return scattered(rank);
  };
}
