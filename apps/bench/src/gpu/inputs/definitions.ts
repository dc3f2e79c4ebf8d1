/** What the benchmark of RadixSorter measures. */

import {
  DISTRIBUTIONS,
  type GpuDistribution,
  KEY_TYPES,
  type MeasuredType,
} from './distributions.js';

/** One line of the benchmark. Payloads are u32. */
export interface GpuDefinition {
  readonly operation: 'sort' | 'sortPairs';
  readonly keyType: MeasuredType;
  /** Records. */
  readonly length: number;
  readonly distribution: GpuDistribution;
}

/** A selection from the command line; undefined selects all. */
export interface Selection {
  readonly lengths: readonly number[] | undefined;
  readonly keyTypes: readonly MeasuredType[] | undefined;
  readonly distributions: readonly GpuDistribution[] | undefined;
}

const OPERATIONS = ['sort', 'sortPairs'] as const;

/** 2^10 to 2^28. */
const LENGTHS = Array.from({ length: 19 }, (_, i) => 2 ** (10 + i));

/**
 * Lengths at which other keys than random ones are sorted: within the caches of a large GPU, and
 * beyond them.
 */
const VARIED = [2 ** 20, 2 ** 24, 2 ** 26];
const LARGE = 2 ** 26;

/**
 * Everything that is published, in the order in which it runs: random keys at all lengths, for
 * four kinds of record; the other distributions at one or two; floats once, to see that they cost
 * the same. Definitions that differ only in their distribution follow each other.
 */
export const FULL_SET: readonly GpuDefinition[] = [
  ...definitionsOf('sort', 'u32', LENGTHS, (length) => VARIED.includes(length)),
  ...definitionsOf('sortPairs', 'u32', LENGTHS, (length) => length === LARGE),
  ...definitionsOf('sort', 'u64', LENGTHS, (length) => length === LARGE),
  ...definitionsOf('sortPairs', 'u64', LENGTHS, () => false),
  ...definitionsOf('sort', 'f32', [LARGE], () => false),
];

function definitionsOf(
  operation: GpuDefinition['operation'],
  keyType: MeasuredType,
  lengths: readonly number[],
  isVaried: (length: number) => boolean,
): GpuDefinition[] {
  return lengths.flatMap((length) =>
    (isVaried(length) ? DISTRIBUTIONS : DISTRIBUTIONS.slice(0, 1)).map((distribution) => ({
      operation,
      keyType,
      length,
      distribution,
    })),
  );
}

/** The selected part of the full set. */
export function selectedOf({ lengths, keyTypes, distributions }: Selection): GpuDefinition[] {
  return FULL_SET.filter(
    ({ length, keyType, distribution }) =>
      (lengths?.includes(length) ?? true) &&
      (keyTypes?.includes(keyType) ?? true) &&
      (distributions?.includes(distribution) ?? true),
  );
}

/**
 * All combinations of what is selected, of keys and of pairs. The default: a few lengths of random
 * keys of all types.
 */
export function combined({
  lengths = [16, 20, 24, 26].map((size) => 2 ** size),
  keyTypes = Object.keys(KEY_TYPES) as MeasuredType[],
  distributions = ['random'],
}: Selection): GpuDefinition[] {
  return keyTypes.flatMap((keyType) =>
    OPERATIONS.flatMap((operation) =>
      lengths.flatMap((length) =>
        distributions.map((distribution) => ({ operation, keyType, length, distribution })),
      ),
    ),
  );
}

/**
 * Neighbours that differ in nothing but their distribution, together: they can take turns in the
 * same buffers.
 */
export function groupsOf(definitions: readonly GpuDefinition[]): GpuDefinition[][] {
  const groups: GpuDefinition[][] = [];
  for (const definition of definitions) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const isLike =
      first?.operation === definition.operation &&
      first.keyType === definition.keyType &&
      first.length === definition.length;
    if (isLike) last?.push(definition);
    else groups.push([definition]);
  }
  return groups;
}
