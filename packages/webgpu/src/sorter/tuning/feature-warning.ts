/** A device that was opened without what its GPU sorts fastest with. */

import type { SortWarning } from '@keysweep/core';
import type { GPUDevice } from '../../device/gpu-types.js';
import { NARROW } from './fit-shapes.js';
import { chainedWith } from './tuning.js';

/** What `adapterInfo` says of a GPU that does not tell the sizes of its subgroups. */
const UNTOLD = { least: 4, most: 128 };

/** Devices that have had the warning. */
const told = new WeakSet<GPUDevice>();

/**
 * Tells `warn`, once a device, where the GPU has subgroups for chained scans, but the device was
 * made without the feature. The GPU shows it by the sizes of its subgroups.
 */
export function warnOfFeatures(device: GPUDevice, warn: (warning: SortWarning) => void): void {
  if (device.features.has('subgroups') || told.has(device)) return;
  const { subgroupMinSize: least, subgroupMaxSize: most } = device.adapterInfo ?? {};
  if (!least || !most || (least === UNTOLD.least && most === UNTOLD.most)) return;
  if (chainedWith(least, most) < NARROW) return;
  told.add(device);
  warn({
    code: 'gpu-features-unused',
    message:
      "the GPU has subgroups, but the device was made without the feature 'subgroups', so sorts " +
      'can take several times as long. Make the device by ' +
      'adapter.requestDevice(RadixSorter.deviceDescriptor(adapter)).',
  });
}
