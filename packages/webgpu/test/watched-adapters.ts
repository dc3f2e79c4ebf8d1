/** Adapters for a backend under test: every device that it opens is watched. */

import { findGpu } from '#gpu';
import { type WatchedDevice, watchDevice } from './watched-device.js';

export interface WatchedAdapters {
  /** As the option of `webgpu`. */
  readonly requestAdapter: () => Promise<GPUAdapter | null>;
  /** All devices that were opened, the latest last. */
  readonly devices: readonly WatchedDevice[];
  /** The device that was opened last. */
  latest(): WatchedDevice;
  /** Throws unless all devices are clean: see WatchedDevice. */
  assertClean(): Promise<void>;
}

/** Adapters of what findGpu() finds. `onOpened` has a device before the one who opened it. */
export function watchedAdapters(
  onOpened: (watched: WatchedDevice) => void = () => {},
): WatchedAdapters {
  const devices: WatchedDevice[] = [];
  return {
    devices,
    latest: () => devices.at(-1) as WatchedDevice,
    async requestAdapter() {
      const gpu = await findGpu();
      if (typeof gpu === 'string') throw new Error(gpu);
      const adapter = await gpu.requestAdapter();
      if (adapter === null) throw new Error('no adapter');
      const open = adapter.requestDevice.bind(adapter);
      adapter.requestDevice = async (descriptor) => {
        const watched = watchDevice(adapter, await open(descriptor));
        devices.push(watched);
        onOpened(watched);
        return watched.device;
      };
      return adapter;
    },
    async assertClean() {
      for (const watched of devices) await watched.assertClean();
    },
  };
}
