/** One GPU device while it lasts, and the memory that is kept on it. */

import type { SortWarning } from '@keysweep/core';
import { deviceDescriptor } from '../device/device-descriptor.js';
import { inErrorScopes } from '../device/errors.js';
import { numberTable } from '../sorter/recording/uniforms.js';
import { detectSubgroupId } from '../sorter/tuning/tuning.js';
import { MEMORY, type MemoryLimits, Pool } from './pool.js';

/** The feature that a session times its sorts with. */
const CLOCK = ['timestamp-query'] as const;

/**
 * Whether nobody but the session has the devices of `adapter`. Only then can the host count on what
 * is mapped: other code may destroy a device that it has, and mapped memory goes with it. It stays
 * when a device is lost for other reasons.
 */
const opensOwnDevices = ({ requestDevice }: GPUAdapter): boolean =>
  requestDevice === globalThis.GPUAdapter?.prototype.requestDevice;

/** Most columns whose sorts are timed. */
const MAX_TIMED = 32;

export class Session {
  readonly device: GPUDevice;
  readonly memory: MemoryLimits;
  readonly pool: Pool;
  /** One warning for each kind of kernels that the device has to do without. */
  readonly warnings: SortWarning[] = [];
  /** For the one piece of work that is done at a time; undefined where the device has no clock. */
  readonly timestamps: GPUQuerySet | undefined;
  /** Most records at a time, less where the device's memory was too small. */
  chunkLength: number;
  #lost: string | undefined;

  /**
   * Opens a device on `adapter` with its largest buffers and workgroups, and subgroups where it
   * has them.
   */
  static async open(
    adapter: GPUAdapter,
    maxChunkLength: number,
    given: Partial<MemoryLimits> = {},
  ): Promise<Session> {
    const keepsOriginals = MEMORY.keepsOriginals && opensOwnDevices(adapter);
    const memory = { ...MEMORY, keepsOriginals, ...given };
    const requiredFeatures = CLOCK.filter((feature) => adapter.features.has(feature));
    const device = await adapter.requestDevice(
      deviceDescriptor(adapter, { label: 'keysweep', requiredFeatures }),
    );
    await detectSubgroupId(device);
    // All sorts share the table: made without memory, it would fail every one of them.
    const { error } = await inErrorScopes(device, () => numberTable(device));
    if (error === undefined) return new Session(device, maxChunkLength, memory);
    device.destroy();
    throw error;
  }

  private constructor(device: GPUDevice, maxChunkLength: number, memory: MemoryLimits) {
    this.device = device;
    this.timestamps = device.features.has('timestamp-query')
      ? device.createQuerySet({ label: 'keysweep', type: 'timestamp', count: 2 * MAX_TIMED })
      : undefined;
    this.memory = memory;
    this.pool = new Pool(this.memory.pooledBytes, this.memory.stagingBytes);
    this.chunkLength = maxChunkLength;
    device.lost.then(({ reason, message }) => {
      this.#lost = `the GPU device was lost (${reason}${message === '' ? '' : `: ${message}`})`;
      this.pool.clear();
    });
  }

  /** Why the device can no longer be used; undefined while it can. */
  get lost(): string | undefined {
    return this.#lost;
  }

  /** Destroys the device and the buffers kept on it; resolves when it is gone. */
  async close(): Promise<void> {
    this.pool.clear();
    this.device.destroy();
    await this.device.lost;
  }
}
