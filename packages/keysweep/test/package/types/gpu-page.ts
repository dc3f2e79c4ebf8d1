/** A consumer's program where TypeScript knows WebGPU: by its own DOM, or by `@webgpu/types`. */

import { RadixSorter, webgpu } from '@keysweep/webgpu';

export async function sortOnGpu(adapter: GPUAdapter, counts: GPUBuffer): Promise<void> {
  const device = await adapter.requestDevice();
  const sorter = await RadixSorter.create(device, { keyType: 'u64', maxCount: 1000 });
  const keys = device.createBuffer({ size: 8000, usage: 0x80 });
  const encoder = device.createCommandEncoder();
  sorter.encode(encoder, { keys, count: 500, offset: 64 });
  sorter.encode(encoder, { keys, count: { buffer: counts, offset: 4 } });
  const pass = encoder.beginComputePass();
  sorter.encode(pass, { keys, count: 500 });
  pass.end();
  // @ts-expect-error: a finished command buffer records nothing
  sorter.encode(encoder.finish(), { keys, count: 500 });
  sorter.destroy();
  // @ts-expect-error: an adapter is no device
  await RadixSorter.create(adapter, { keyType: 'u64', maxCount: 1000 });
  // @ts-expect-error: a device is no buffer
  sorter.encode(encoder, { keys: device, count: 500 });
}

export const backend = webgpu({
  powerPreference: 'high-performance',
  requestAdapter: () => navigator.gpu.requestAdapter(),
});
