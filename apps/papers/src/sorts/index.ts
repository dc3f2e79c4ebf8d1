/**
 * @keysweep/papers: the sorts that keysweep's sources describe, as they describe them. They are for
 * reading, for tests and for measuring; the package is private.
 */

import type { Algorithm } from './algorithm.js';
import { MERGES } from './merges.js';
import { NETWORKS } from './networks.js';
import { QUADRATIC } from './quadratic.js';
import { RADIX } from './radix.js';

export type { Algorithm, Cost } from './algorithm.js';
export { CPU_SORTS, type CpuSort, type CpuSortName } from './cpu.js';
export { CPU_ALGORITHMS } from './cpu-plans.js';
export {
  constantsOf,
  type Dispatch,
  KEYS,
  type Plan,
  SHAPE,
  type Shape,
  TILE,
  VALUES,
} from './plan.js';
export { CONSTANTS, type Names, namesOf, shaderOf } from './shaders.js';
export { largestBuffer, type PaperSortArguments, PaperSorter } from './sorter.js';

/** All sorts on the GPU. */
export const ALGORITHMS: readonly Algorithm[] = [...QUADRATIC, ...NETWORKS, ...RADIX, ...MERGES];
