/** The sorts that are shown: on how many keys, of which shape, and what is said of them. */

import { Random } from '@keysweep/conformance/data';
import { ALGORITHMS, type Algorithm, CPU_ALGORITHMS, type Shape } from '@keysweep/papers';

export interface Exhibit {
  readonly algorithm: Algorithm;
  readonly isCpu: boolean;
  /** Keys that are sorted, and how they are written: as digits of this base. */
  readonly count: number;
  readonly base: number;
  readonly shape: Shape;
  readonly about: string;
}

/** Tiles of four keys. */
const SMALL: Shape = { threads: 2, items: 2, samples: 2, line: 4, keyBits: 8 };
const ONE_TILE: Shape = { ...SMALL, threads: 8 };

type Showing = Pick<Exhibit, 'count' | 'base' | 'about'> & { readonly shape?: Shape };

const SHOWN: Readonly<Record<string, Showing>> = {
  'comparison-counts': {
    count: 12,
    base: 10,
    about:
      'A key’s place is the number of keys that come before it. That is one step for as many ' +
      'threads as there are keys, and n² comparisons.',
  },
  'odd-even-transposition': {
    count: 8,
    base: 10,
    about:
      'Neighbours that are out of order change places, in turns of even and odd pairs. After as ' +
      'many phases as there are keys, all are in order.',
  },
  selection: {
    count: 12,
    base: 10,
    shape: ONE_TILE,
    about: 'The least key that is left goes to the next place. A workgroup does it in its tile.',
  },
  insertion: {
    count: 12,
    base: 10,
    shape: ONE_TILE,
    about: 'Each key goes where it belongs among those before it. A workgroup does it in its tile.',
  },
  bitonic: {
    count: 16,
    base: 10,
    about:
      'A network compares the same places whatever the keys are. Each merge makes one run of ' +
      'two. Short steps stay within tiles, and cost no memory traffic.',
  },
  'odd-even-merge': {
    count: 16,
    base: 10,
    about:
      'A network with fewer comparisons than the bitonic one. Its pairs cross more borders, so ' +
      'merges above a tile do all their steps in memory.',
  },
  'binary-radix': {
    count: 8,
    base: 2,
    shape: { ...SMALL, keyBits: 4 },
    about:
      'One bit a pass. A scan gives every key with a 0 its place, a scan from the end every key ' +
      'with a 1. A key of 32 bits takes 32 passes.',
  },
  'explicit-counters': {
    count: 8,
    base: 16,
    about:
      'Four bits a pass. A tile is sorted by the digit before it is scattered, so that keys for ' +
      'neighbouring places leave together.',
  },
  'masks-and-scans': {
    count: 8,
    base: 16,
    about: 'Four bits a pass: sixteen masks of the keys, and a scan of each.',
  },
  'implicit-counters': {
    count: 16,
    base: 4,
    shape: { ...SMALL, keyBits: 4 },
    about:
      'Two bits a pass. Three counts are packed in a word, the fourth is implied, and one scan ' +
      'adds them all.',
  },
  'implicit-counters-hybrid': {
    count: 8,
    base: 4,
    shape: { ...SMALL, keyBits: 4 },
    about:
      'Pairs of keys and values, and the keys alone a second time: counts read keys alone, the ' +
      'scatter moves whole pairs. The values here are the keys’ first places.',
  },
  'implicit-counters-pairs': {
    count: 8,
    base: 4,
    shape: { ...SMALL, keyBits: 4 },
    about:
      'Keys and values lie side by side, so counts read both. The values here are the keys’ ' +
      'first places.',
  },
  'merge-path': {
    count: 16,
    base: 10,
    about:
      'Tiles are sorted, then merged pair by pair. A search on a diagonal tells every thread ' +
      'where its part of a merge begins, so all threads merge the same number of keys.',
  },
  'sample-sort': {
    count: 16,
    base: 10,
    shape: { ...SMALL, threads: 4, samples: 4 },
    about:
      'Samples of sorted tiles say where to cut. Buckets between cuts are sorted by themselves, ' +
      'and none can be much longer than the others.',
  },
  plainRadix: {
    count: 8,
    base: 4,
    about:
      'Four digits, the lowest first. Each key goes straight to its place: into as many lines of ' +
      'memory as a digit has values. Digits have 8 bits in the kernel, 2 here.',
  },
  bufferedRadix: {
    count: 8,
    base: 2,
    shape: { ...SMALL, keyBits: 4 },
    about:
      'Keys of a digit first gather in a buffer of one line of memory, and leave when it is ' +
      'full. A digit has 8 bits and a line 16 keys in the kernel; here it is 1 bit and 4 keys.',
  },
  mergeSort: {
    count: 16,
    base: 10,
    about:
      'Vectors of four keys: columns are sorted at once, then runs merged four keys at a time.',
  },
};

const exhibitOf = (algorithm: Algorithm, isCpu: boolean): Exhibit => {
  const shown = SHOWN[algorithm.name];
  if (shown === undefined) throw new Error(`nothing is said of ${algorithm.name}`);
  return { algorithm, isCpu, shape: SMALL, ...shown };
};

/** All sorts of the papers, those on the GPU first. */
export const EXHIBITS: readonly Exhibit[] = [
  ...ALGORITHMS.map((algorithm) => exhibitOf(algorithm, false)),
  ...CPU_ALGORITHMS.map((algorithm) => exhibitOf(algorithm, true)),
];

/** Random keys for an exhibit: below 100, or of as many bits as its shape has. */
export function keysFor({ count, base, shape }: Exhibit, seed: number): Uint32Array {
  const random = new Random(seed, count);
  const end = base === 10 ? 100 : 2 ** shape.keyBits;
  return Uint32Array.from({ length: count }, () => random.below(end));
}
