/** What the benchmark of RadixSorter measures. */

import {
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

/** A selection from the command line; undefined selects the usual ones. */
export interface Selection {
  readonly lengths: readonly number[] | undefined;
  readonly keyTypes: readonly MadeType[] | undefined;
  readonly distributions: readonly GpuDistribution[] | undefined;
}

const OPERATIONS = ['sort', 'sortPairs'] as const;

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
