/** keysweep/sync as a backend for the suite, and beside the asynchronous functions. */

import {
  ARRAY_CLASSES,
  type ArrayClass,
  classNamed,
  draw,
  fillSpecial,
  fillWithBits,
  isThorough,
} from '@keysweep/conformance/data';
import { CHECKS, type Check } from '@keysweep/conformance/suite';
import { assertSameBits } from '@keysweep/conformance/verify';
import {
  type Backend,
  bitsOf,
  copyOf,
  type KeyType,
  keyTraits,
  keyTypeOf,
  type SortOutcome,
  type SortRequest,
  type TypedArray,
} from '@keysweep/core';
import type { Random } from '@keysweep/core/random';
import { argsort, sort, sortPairs } from 'keysweep';
import { argsortSync, type SyncSortOptions, sortPairsSync, sortSync } from 'keysweep/sync';

function serve(request: SortRequest): SortOutcome['permutation'] {
  const { shape, columns, values, segments } = request;
  const { operation, order, keyBits } = shape;
  const options: SyncSortOptions = {
    order,
    ...(segments && { segments }),
    ...(keyBits && { keyBits }),
  };
  if (operation === 'argsort') return argsortSync(columns, options);
  if (values !== undefined) sortPairsSync(columns[0], values, options);
  else if (order === 'ascending' && !segments && !keyBits) sortSync(columns[0]);
  else sortSync(columns[0], options);
  return undefined;
}

/** The synchronous functions as a backend: of what a backend does they only sort. */
export function syncBackend(): Backend {
  // Before the first long sort, the runtime's own sort would serve short ones.
  sortSync(Uint32Array.from({ length: 2 ** 19 }, (_, i) => Math.imul(i, 2654435761)));
  return {
    name: 'cpu',
    probe: () => Promise.reject(new Error('it is no backend')),
    maxLength: () => 2 ** 32 - 1,
    sort: async (request): Promise<SortOutcome> => ({
      permutation: serve(request),
      milliseconds: {},
      passes: { run: 0, skipped: 0 },
      threads: 1,
      bound: 0,
    }),
    warmUp: async () => {},
    release: async () => {},
    close: async () => {},
  };
}

/** The checks of the suite that are about the result, and not about waiting, aborts or lifetime. */
export const SYNC_CHECKS: readonly Check[] = CHECKS.filter(
  ({ name, missing }) =>
    missing === undefined && /^(sorts|argsorts|orders) (?!approximately)/.test(name),
);

/** Lengths around those at which the calling thread changes its way. */
export const AT_BOUNDARIES: readonly number[] = [
  0, 1, 2, 40, 41, 99, 100, 101, 255, 256, 511, 512, 1000, 4097, 70_001, 199_999, 200_000,
];
export const AT_LONG_BOUNDARIES: readonly number[] = [
  2 ** 17 - 1,
  2 ** 17,
  2 ** 18 - 1,
  2 ** 18,
  2 ** 18 + 1,
  2 ** 21,
];

const OPTIONS = ['no options', 'descending', 'segments', 'segments, descending', 'key bits'];

function optionsFor(
  name: string,
  { keyType }: ArrayClass,
  length: number,
  random: Random,
): SyncSortOptions | undefined {
  const order = name.endsWith('descending') ? ('descending' as const) : ('ascending' as const);
  if (name.startsWith('segments')) {
    const starts = Uint32Array.from({ length: 1 + random.below(9) }, () =>
      random.below(length + 1),
    );
    starts[0] = 0;
    return { order, segments: starts.sort() };
  }
  const { kind, bits } = keyTraits(keyType);
  if (name === 'key bits' && kind === 'unsigned') {
    const begin = random.below(bits + 1);
    return { keyBits: { begin, end: begin + random.below(bits + 1 - begin) } };
  }
  return name === 'no options' ? undefined : { order };
}

/** Keys with one bit pattern for all NaNs, whose order among each other is not defined. */
function withoutPayloads(keys: TypedArray): TypedArray {
  if (keyTraits(keyTypeOf(keys) as KeyType).kind !== 'float') return keys;
  return (keys as Float64Array).map((key) => (Number.isNaN(key) ? Number.NaN : key));
}

const sortedBits = (keys: TypedArray): TypedArray => bitsOf(keys).slice().sort();

/**
 * Throws unless the synchronous functions give what the asynchronous ones do: for every type of
 * key, in a quick run some of them, at every length, by turns with each of the options.
 */
export async function compareWithAsync(lengths: readonly number[], random: Random): Promise<void> {
  let place = random.below(OPTIONS.length);
  for (const length of lengths) {
    const count = length > 5000 ? 2 : 5;
    const classes = isThorough ? ARRAY_CLASSES : draw(ARRAY_CLASSES, count, random);
    for (const [i, arrayClass] of classes.entries()) {
      const name = OPTIONS[place++ % OPTIONS.length] as string;
      const options = optionsFor(name, arrayClass, length, random);
      const what = `${arrayClass.name}(${length}), ${name}`;
      const keys = arrayClass.create(length);
      (place % 2 === 0 ? fillWithBits : fillSpecial)(keys, random);
      const values = (ARRAY_CLASSES[(i + place) % ARRAY_CLASSES.length] ?? arrayClass).create(
        length,
      );
      fillWithBits(values, random);

      const order = argsortSync(keys, options);
      assertSameBits(`argsort of ${what}`, order, await argsort(keys, options));

      const pairs = sortPairsSync(copyOf(keys), copyOf(values), options);
      const theirs = await sortPairs(copyOf(keys), copyOf(values), options);
      assertSameBits(`keys of pairs of ${what}`, pairs.keys, theirs.keys);
      assertSameBits(`values of pairs of ${what}`, pairs.values, theirs.values);

      const [sorted, expected] = [
        sortSync(copyOf(keys), options),
        await sort(copyOf(keys), options),
      ];
      assertSameBits(`sort of ${what}`, withoutPayloads(sorted), withoutPayloads(expected));
      assertSameBits(`bits of ${what}`, sortedBits(sorted), sortedBits(expected));
    }
  }
}

/** The same for permutations of several columns. */
export async function compareColumns(lengths: readonly number[], random: Random): Promise<void> {
  for (const length of lengths) {
    const columns = [Uint8Array, Float32Array, BigInt64Array].map((Class) => {
      const column = classNamed(Class.name).create(length);
      fillSpecial(column, random);
      return column;
    });
    for (const order of ['ascending', 'descending'] as const) {
      const [ours, theirs] = [argsortSync(columns, { order }), await argsort(columns, { order })];
      assertSameBits(`argsort of 3 columns of ${length}, ${order}`, ours, theirs);
    }
  }
}
