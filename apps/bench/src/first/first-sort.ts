/** One sort, in a process or a page of its own. */

import { type CommonKeyType, makeKeys, Random } from '@keysweep/conformance/data';
import { faultOfKeys } from '@keysweep/conformance/verify';
import type { KeyArray } from 'keysweep';

/** Who sorts: keysweep, or the runtime's own sort. */
export const SORTERS = ['ours', 'theirs'] as const;
export type SorterName = (typeof SORTERS)[number];

export interface FirstCase {
  readonly keyType: CommonKeyType;
  readonly length: number;
  /** Milliseconds of sorts of other keys that come before it. 0: it is the first. */
  readonly before: number;
}

export interface FirstSort {
  /** Of the last call, without the import of the package. */
  readonly milliseconds: number;
  readonly verified: boolean;
}

/** Sorts random keys, after others. What `load` loads does not count. */
export async function sortFirst(
  who: SorterName,
  { keyType, length, before }: FirstCase,
  seed: number,
  load: () => Promise<Pick<typeof import('keysweep'), 'sort'>> = () => import('keysweep'),
): Promise<FirstSort> {
  const random = new Random(seed);
  const newKeys = () => makeKeys(keyType, length, 'random', random);
  const keys = newKeys();
  const input = keys.slice();
  const sort = who === 'ours' ? (await load()).sort : async (keys: KeyArray) => keys.sort();
  const end = performance.now() + before;
  while (performance.now() < end) await sort(newKeys());
  // What the import, the keys and earlier sorts have left to do.
  await new Promise((resolve) => setTimeout(resolve, 50));
  const start = performance.now();
  await sort(keys);
  const milliseconds = performance.now() - start;
  return { milliseconds, verified: faultOfKeys(keys, input) === undefined };
}
