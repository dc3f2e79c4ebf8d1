/** @keysweep/kernels/wgsl: the compute shaders of the WebGPU backend, expanded on demand. */

import { WGSL } from '../generated/wgsl.js';
import { type Constants, expand } from './expand.js';

export { type Constants, expand } from './expand.js';

/**
 * The text of the shader `name` (a file here, without its ending), specialised with `constants`.
 * @throws Error when there is no such file, or a constant is missing that a directive needs.
 */
export function shader(name: string, constants: Constants): string {
  return expand(`${name}.wgsl`, WGSL, constants);
}
