/** What the sorts of segments bind of the caller's buffers. */

import type { GPUBuffer, GPUBufferBinding } from '../../device/gpu-types.js';
import { ALIGNED } from '../arguments/options.js';
import { alignedWords } from '../buffers/bindings.js';
import type { GpuSegments } from './segment-options.js';

/** The whole elements of a buffer, of `words` words each. */
export const whole = (buffer: GPUBuffer, words: number): GPUBufferBinding => ({
  buffer,
  size: buffer.size - (buffer.size % (4 * words)),
});

/** The places, up to the last one that `maxSegments` segments may have. */
export function placesOf(
  { buffer, offset = 0 }: GpuSegments,
  maxSegments: number,
): GPUBufferBinding {
  const placesAt = offset - (offset % (4 * ALIGNED));
  const end = Math.min(alignedWords(buffer), offset + 4 * (maxSegments + 1));
  return { buffer, offset: placesAt, size: end - placesAt };
}
