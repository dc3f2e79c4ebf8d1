/** One GPU device while it lasts, and the memory that is kept on it. */

import { numberTable } from './numbers.js';
import { Pool } from './pool.js';
import { watch } from './watch.js';

/** GPU memory that an idle backend keeps at most. */
export const MOST_POOLED_BYTES: number = 2 ** 28;

export class Session {
  readonly device: GPUDevice;
  readonly pool: Pool = new Pool(MOST_POOLED_BYTES);
  /** Most records at a time: what the device's bindings allow, less where its memory was too small. */
  chunkLength: number;
  /** Why the device can't be used any more. */
  #lost: string | undefined;

  /** Opens a device on `adapter` with its largest buffers, and no feature. */
  static async open(adapter: GPUAdapter, maxChunkLength: number): Promise<Session> {
    const { maxStorageBufferBindingSize, maxBufferSize } = adapter.limits;
    const device = await adapter.requestDevice({
      label: 'keysweep',
      requiredLimits: { maxStorageBufferBindingSize, maxBufferSize },
    });
    // Shared by all sorts: one that there was no memory for would fail them for ever.
    const { error } = await watch(device, () => numberTable(device));
    if (error === undefined) return new Session(device, maxChunkLength);
    device.destroy();
    throw error;
  }

  private constructor(device: GPUDevice, maxChunkLength: number) {
    this.device = device;
    const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
    const widest = 8;
    const most = Math.floor(Math.min(maxStorageBufferBindingSize, maxBufferSize) / widest);
    this.chunkLength = Math.min(most, maxChunkLength);
    device.lost.then(({ reason, message }) => {
      this.#lost = `the GPU device was lost (${reason}${message === '' ? '' : `: ${message}`})`;
      this.pool.clear();
    });
  }

  get lost(): string | undefined {
    return this.#lost;
  }

  /** Gives the device back; resolves when it is gone. */
  async close(): Promise<void> {
    this.pool.clear();
    this.device.destroy();
    await this.device.lost;
  }
}
