/** One GPU device while it lasts, and the memory that is kept on it. */

import { numberTable } from '../sorter/command-numbers.js';
import { MEMORY, type Memory } from '../transfer/memory.js';
import { Pool } from '../transfer/pool.js';
import { watch } from './errors.js';
import { learnLanguage } from './language-features.js';

/** What a sort makes use of. */
const FEATURES: readonly string[] = ['subgroups', 'subgroup-size-control', 'timestamp-query'];
const LIMITS = [
  'maxStorageBufferBindingSize',
  'maxBufferSize',
  'maxComputeWorkgroupStorageSize',
  'maxComputeInvocationsPerWorkgroup',
  'maxComputeWorkgroupSizeX',
] as const satisfies (keyof GPUSupportedLimits)[];

/** Columns that are timed. */
const MOST_TIMED = 32;

export class Session {
  readonly device: GPUDevice;
  readonly memory: Memory;
  readonly pool: Pool;
  /** For the one piece of work at a time. */
  readonly timestamps: GPUQuerySet | undefined;
  /** Most records at a time: what the device's bindings allow, less where its memory was too small. */
  chunkLength: number;
  /** Why the device can't be used any more. */
  #lost: string | undefined;

  /** Opens a device on `adapter` with its largest buffers and workgroups, and subgroups where it has them. */
  static async open(
    adapter: GPUAdapter,
    maxChunkLength: number,
    memory: Partial<Memory> = {},
  ): Promise<Session> {
    const { limits, features } = adapter;
    const device = await adapter.requestDevice({
      label: 'keysweep',
      requiredFeatures: FEATURES.filter((feature) => features.has(feature)) as GPUFeatureName[],
      requiredLimits: Object.fromEntries(LIMITS.map((limit) => [limit, limits[limit]])),
    });
    await learnLanguage(device);
    // Shared by all sorts: one that there was no memory for would fail them for ever.
    const { error } = await watch(device, () => numberTable(device));
    if (error === undefined) return new Session(device, maxChunkLength, memory);
    device.destroy();
    throw error;
  }

  private constructor(device: GPUDevice, maxChunkLength: number, memory: Partial<Memory>) {
    this.device = device;
    this.timestamps = device.features.has('timestamp-query')
      ? device.createQuerySet({ label: 'keysweep', type: 'timestamp', count: 2 * MOST_TIMED })
      : undefined;
    this.memory = { ...MEMORY, ...memory };
    this.pool = new Pool(this.memory.pooledBytes, this.memory.stagingBytes);
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
