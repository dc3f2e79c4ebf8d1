/** What the sorts of segments bind of the caller's buffers. */

import type { Widths } from '@keysweep/kernels/wgsl';
import type { GPUBuffer, GPUBufferBinding } from '../device/gpu-types.js';
import { alignedWords } from './bindings.js';
import { ALIGNED } from './options.js';
import type { GpuSegments, SegmentSortArguments } from './segment-options.js';

/** The whole elements of a buffer, of so many words each. */
export const whole = (buffer: GPUBuffer, words: number): GPUBufferBinding => ({
  buffer,
  size: buffer.size - (buffer.size % (4 * words)),
});

/** The records that the buffers hold. */
export const roomOf = (
  { keys, values }: Pick<SegmentSortArguments, 'keys' | 'values'>,
  { keyWords, valueWords }: Widths,
): number =>
  Math.min(
    Math.floor(keys.size / (4 * keyWords)),
    ...(values === undefined ? [] : [Math.floor(values.size / (4 * valueWords))]),
  );

/** The places, up to the last one that `maxSegments` segments may have. */
export function placesOf(
  { buffer, offset = 0 }: GpuSegments,
  maxSegments: number,
): GPUBufferBinding {
  const placesAt = offset - (offset % (4 * ALIGNED));
  const end = Math.min(alignedWords(buffer), offset + 4 * (maxSegments + 1));
  return { buffer, offset: placesAt, size: end - placesAt };
}
