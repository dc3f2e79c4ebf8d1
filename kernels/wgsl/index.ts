/**
 * @keysweep/kernels/wgsl: the compute shaders of the WebGPU backend, and the numbers they share
 * with it.
 */

import { WGSL } from '../generated/wgsl.js';
import { CONSTANTS } from './constants.js';
import { type Constants, expand } from './expand.js';

export { LAYOUTS } from '../generated/layouts.js';
export * from './constants.js';
export { type Constants, expand } from './expand.js';
export * from './kernels.js';
export {
  hasNarrow,
  type SegmentShape,
  shortOf,
  shortWindowOf,
  singleOf,
} from './segment-kernels.js';

/**
 * The text of the shader in `file` (a path here, without its ending), specialised with `constants`
 * and those that all shaders share.
 * @throws Error when there is no such file, or a constant is missing that a directive needs.
 */
export function shader(file: string, constants: Constants): string {
  return expand(`${file}.wgsl`, WGSL, { ...CONSTANTS, ...constants });
}
