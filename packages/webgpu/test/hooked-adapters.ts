/** Watched adapters whose devices tell when the host gets a buffer, and when it has read one. */

import { type WatchedAdapters, watchedAdapters } from './watched-adapters.js';
import type { WatchedDevice } from './watched-device.js';

export interface Hooks {
  /** Called when a buffer is mapped, before its user knows. What it throws fails the mapping. */
  onMapped(watched: WatchedDevice, mode: GPUMapModeFlags): void | Promise<void>;
  /** Called when a readback's buffer has been unmapped. */
  onRead(): void;
}

/** See watchedAdapters for `kind`. `hooks` may be changed at any time. */
export function hookedAdapters(hooks: Hooks, kind: 'shared' | 'own'): WatchedAdapters {
  return watchedAdapters((watched) => {
    const { device } = watched;
    const create = device.createBuffer.bind(device);
    device.createBuffer = (descriptor) => {
      const buffer = create(descriptor);
      const map = buffer.mapAsync.bind(buffer);
      buffer.mapAsync = async (mode, ...range) => {
        await map(mode, ...range);
        await hooks.onMapped(watched, mode);
      };
      const unmap = buffer.unmap.bind(buffer);
      buffer.unmap = () => {
        unmap();
        if (descriptor.label === 'keysweep readback') hooks.onRead();
        return undefined;
      };
      return buffer;
    };
  }, kind);
}
