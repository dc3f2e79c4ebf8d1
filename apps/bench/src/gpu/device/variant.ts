/** How the devices of an adapter sort large arrays. */

import { chainedTuning, detectSubgroupId, setTuning } from '@keysweep/webgpu/tuning';

/**
 * 'auto': as RadixSorter chooses. 'chained': by chained scans, however narrow the device's
 * subgroups are. 'stalled': by chained scans in which one tile never publishes its counts, and the
 * others wait only shortly before they recompute them.
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
