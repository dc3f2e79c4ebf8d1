/** Commands and buffers of a device. */

import type { Recording } from './task.js';

/**
 * Flags as the WebGPU specification numbers them: Dawn for Node has no globals to read them from.
 */
export const BufferUsage = {
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  QUERY_RESOLVE: 0x200,
} as const;
export const MapMode = { READ: 0x1, WRITE: 0x2 } as const;

/** Records one after the other into one encoder. */
export function recorded(device: GPUDevice, ...recordings: Recording[]): GPUCommandBuffer {
  const encoder = device.createCommandEncoder();
  for (const record of recordings) record(encoder);
  return encoder.finish();
}

/** What a buffer with usage COPY_SRC holds from byte `offset` on once all submitted is done. */
export async function readBuffer(
  device: GPUDevice,
  buffer: GPUBuffer,
  size: number = buffer.size,
  offset = 0,
): Promise<ArrayBuffer> {
  const staging = device.createBuffer({ size, usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST });
  const copy = recorded(device, (encoder) =>
    encoder.copyBufferToBuffer(buffer, offset, staging, 0, size),
  );
  device.queue.submit([copy]);
  await staging.mapAsync(MapMode.READ);
  const bytes = staging.getMappedRange().slice(0);
  staging.destroy();
  return bytes;
}
