/** Adapters for a backend under test: every device that it opens is watched. */

import { foundAdapter, shareDevice } from './shared-devices.js';
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

/**
 * Adapters of what findGpu() finds. `onOpened` gets each device before the backend does. Devices
 * are 'shared' (shared-devices.ts), or each is a real one of its 'own', so that it can be lost.
 */
export function watchedAdapters(
  onOpened: (watched: WatchedDevice) => void = () => {},
  kind: 'shared' | 'own' = 'shared',
): WatchedAdapters {
  const devices: WatchedDevice[] = [];
  return {
    devices,
    latest: () => devices.at(-1) as WatchedDevice,
    async requestAdapter() {
      const adapter = await foundAdapter();
      const open = adapter.requestDevice.bind(adapter);
      adapter.requestDevice = async (descriptor) => {
        const opening = kind === 'own' ? open(descriptor) : shareDevice(descriptor);
        const watched = watchDevice(adapter, await opening);
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
