/** What the benchmark of RadixSorter measures. */

import {
  DISTRIBUTIONS,
  type GpuDistribution,
  MADE_TYPES,
  type MadeType,
  type MeasuredType,
} from './distributions.js';
import type { KeyFile } from './key-files.js';

/** One line of the benchmark. Payloads are u32. */
export interface GpuCase {
  readonly operation: 'sort' | 'sortPairs';
  readonly keyType: MeasuredType;
  /** Records. */
  readonly length: number;
  /** How keys lie; of a file's keys, their kind. */
  readonly distribution: string;
}

/** Keys that the GPU makes. */
export interface MadeDefinition extends GpuCase {
  readonly keyType: MadeType;
  readonly distribution: GpuDistribution;
}

/** Keys of a file. */
export interface FileDefinition extends GpuCase {
  readonly path: string;
}

export type GpuDefinition = MadeDefinition | FileDefinition;

/** A selection from the command line; undefined selects all. */
export interface Selection {
  readonly lengths: readonly number[] | undefined;
  readonly keyTypes: readonly MadeType[] | undefined;
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
export const FULL_SET: readonly MadeDefinition[] = [
  ...definitionsOf('sort', 'u32', LENGTHS, (length) => VARIED.includes(length)),
  ...definitionsOf('sortPairs', 'u32', LENGTHS, (length) => length === LARGE),
  ...definitionsOf('sort', 'u64', LENGTHS, (length) => length === LARGE),
  ...definitionsOf('sortPairs', 'u64', LENGTHS, () => false),
  ...definitionsOf('sort', 'f32', [LARGE], () => false),
];

function definitionsOf(
  operation: GpuCase['operation'],
  keyType: MadeType,
  lengths: readonly number[],
  isVaried: (length: number) => boolean,
): MadeDefinition[] {
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
export function selectedOf({ lengths, keyTypes, distributions }: Selection): MadeDefinition[] {
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
  keyTypes = MADE_TYPES,
  distributions = ['random'],
}: Selection): MadeDefinition[] {
  return keyTypes.flatMap((keyType) =>
    OPERATIONS.flatMap((operation) =>
      lengths.flatMap((length) =>
        distributions.map((distribution) => ({ operation, keyType, length, distribution })),
      ),
    ),
  );
}

/** The keys of each file, alone and with values. */
export const definitionsOfFiles = (files: readonly KeyFile[]): FileDefinition[] =>
  files.flatMap(({ path, keyType, kind, length }) =>
    OPERATIONS.map((operation) => ({ operation, keyType, length, distribution: kind, path })),
  );

/**
 * Neighbours that differ in nothing but their distribution, together: they can take turns in the
 * same buffers. Keys of a file are a group of their own.
 */
export function groupsOf<Definition extends GpuDefinition>(
  definitions: readonly Definition[],
): Definition[][] {
  const groups: Definition[][] = [];
  for (const definition of definitions) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    const isLike =
      !('path' in definition) &&
      first?.operation === definition.operation &&
      first.keyType === definition.keyType &&
      first.length === definition.length;
    if (isLike) last?.push(definition);
    else groups.push([definition]);
  }
  return groups;
}
