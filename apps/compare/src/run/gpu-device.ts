/** Opens a device for sorts of GPU buffers. */

import { RadixSorter } from '@keysweep/webgpu';

/** A device with all that sorts make use of, and with timestamps. The caller destroys it. */
export async function openDevice(): Promise<GPUDevice> {
  const adapter = await navigator.gpu.requestAdapter({ powerPreference: 'high-performance' });
  if (adapter === null) throw new Error('WebGPU finds no adapter any more');
  const requiredFeatures = (['timestamp-query'] as const).filter((name) =>
    adapter.features.has(name),
  );
  return adapter.requestDevice(RadixSorter.deviceDescriptor(adapter, { requiredFeatures }));
}
