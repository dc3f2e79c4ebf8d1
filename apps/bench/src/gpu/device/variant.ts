/** Which way of sorting large arrays the devices of an adapter use. */

import { chainedTuning, detectSubgroupId, setTuning } from '@keysweep/webgpu/tuning';

/**
 * As RadixSorter chooses; by chained scans, however narrow the device's subgroups; or by such in
 * which one tile never tells its counts, and others wait but shortly.
 */
export type Variant = 'auto' | 'chained' | 'stalled';

const STALLED = { lookLimit: 16, stalledTile: 1 };

/** Has devices that are requested of `adapter` sort by `variant`. */
export function useVariant(adapter: GPUAdapter, variant: Variant): void {
  if (variant === 'auto') return;
  const request = adapter.requestDevice.bind(adapter);
  adapter.requestDevice = async (descriptor) => {
    const device = await request(descriptor);
    await detectSubgroupId(device);
    const tuning = chainedTuning(device);
    if (tuning.chained === undefined) {
      throw new Error(`--variant ${variant} needs a device with subgroups: --features all`);
    }
    setTuning(device, variant === 'stalled' ? { ...tuning, ...STALLED } : tuning);
    return device;
  };
}
