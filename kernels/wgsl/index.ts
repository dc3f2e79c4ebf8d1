/**
 * @keysweep/kernels/wgsl: the compute shaders of the WebGPU backend, and the numbers they share
 * with it.
 */

import { WGSL } from '../generated/wgsl.js';
import { CONSTANTS } from './constants.js';
import { type Constants, expand } from './expand.js';

export { LAYOUTS } from '../generated/layouts.js';
export {
  mayBeThinned,
  type StagedShape,
  type SweepShape,
  splitTileOf,
  statusTileOf,
  sweepTileOf,
} from './chained-kernels.js';
export {
  CONSTANTS,
  MERGE_KEYS,
  maxPassesOf,
  THREADS,
  tileOf,
  windowOf,
} from './constants.js';
export { type Constants, expand } from './expand.js';
export { FIRST_LIMITS, type FirstShape } from './first-kernels.js';
export {
  BATCH_MARGIN,
  type BatchShape,
  batchAimOf,
  batchOf,
  cellsOf,
  hybridWordsOf,
  maxBatches,
} from './hybrid-kernels.js';
export { KERNELS, type Kernel } from './kernels.js';
export {
  maxSampled,
  maxShareOf,
  type SamplingShape,
  sampledGroups,
  sampledStorage,
} from './sampling-kernels.js';
export {
  hasNarrow,
  type SegmentShape,
  shortOf,
  shortWindowOf,
  singleOf,
} from './segment-kernels.js';
export type { TileShape, Widths } from './shapes.js';
export { constantsFor, type Specialization } from './specialization.js';

/** The files that shaders are made of, by name. */
const files: Record<string, string> = { ...WGSL };

/** Makes more files known to `shader`: the ones of wgsl/segments.ts. */
export function addShaders(more: Readonly<Record<string, string>>): void {
  Object.assign(files, more);
}

/**
 * The text of the shader in `file` (a path here, without its ending), specialised with `constants`
 * and those that all shaders share. Files in segments/ must have been added before.
 * @throws Error when there is no such file, or a constant is missing that a directive needs.
 */
export function shader(file: string, constants: Constants): string {
  return expand(`${file}.wgsl`, files, { ...CONSTANTS, ...constants });
}
