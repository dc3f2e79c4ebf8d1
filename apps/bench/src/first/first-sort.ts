/** One first sort, in a process or a page that has sorted nothing before. */

import { type CommonKeyType, makeKeys, Random } from '@keysweep/conformance/data';
import { faultOfKeys } from '@keysweep/conformance/verify';
import type { KeyArray } from 'keysweep';

/** Who sorts: keysweep, or the runtime's own sort. */
export const SORTERS = ['ours', 'theirs'] as const;
export type SorterName = (typeof SORTERS)[number];

export interface FirstCase {
  readonly keyType: CommonKeyType;
  readonly length: number;
}

export interface FirstSort {
  /** Of the first call, without the import of the package. */
  readonly milliseconds: number;
  readonly verified: boolean;
}

/** Sorts random keys, once. What `load` loads does not count. */
export async function sortFirst(
  who: SorterName,
  { keyType, length }: FirstCase,
  seed: number,
  load: () => Promise<Pick<typeof import('keysweep'), 'sort'>> = () => import('keysweep'),
): Promise<FirstSort> {
  const keys = makeKeys(keyType, length, 'random', new Random(seed));
  const input = keys.slice();
  const sort = who === 'ours' ? (await load()).sort : async (keys: KeyArray) => keys.sort();
  // What the import, and the keys, have left to do.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const start = performance.now();
  await sort(keys);
  const milliseconds = performance.now() - start;
  return { milliseconds, verified: faultOfKeys(keys, input) === undefined };
}
