/**
 * @keysweep/kernels/wgsl-segments: the shaders for segments in GPU memory, which few programs need.
 */

export { WGSL_SEGMENTS } from '../generated/wgsl-segments.js';
