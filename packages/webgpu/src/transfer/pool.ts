/**
 * Memory that is kept for the next sort: how much, in what pieces, and on lease to one piece of
 * work.
 */

import { TRANSFER } from '#gpu';
import { OutOfMemoryError } from '../device/errors.js';
import type { GPUBuffer, GPUDevice } from '../device/gpu-types.js';
import type { TransferLimits } from '../device/transfer-limits.js';
import { BufferUsage, MapMode } from '../device/usage.js';
import type { SorterOptions } from '../sorter/arguments/options.js';
import { RadixSorter } from '../sorter/radix-sorter.js';

const MIB = 2 ** 20;

/** How much memory a backend keeps, and in what pieces data comes and goes. In bytes. */
export interface MemoryLimits extends TransferLimits {
  /**
   * GPU memory that an idle backend keeps at most: caller's and scratch buffers of 2^26 32-bit
   * keys.
   */
  readonly pooledBytes: number;
  /**
   * Uploads of fewer bytes go by `writeBuffer`: as fast at 1 MiB, three times slower at 4 MiB, on
   * an NVIDIA H200.
   */
  readonly stagedFrom: number;
}

export const MEMORY: MemoryLimits = {
  pooledBytes: 640 * MIB,
  stagedFrom: 2 * MIB,
  ...TRANSFER,
};

/**
 * The size to allocate for `size` bytes or records, so that requests of similar sizes share
 * memory: the next power of two, or above 2^24 the next multiple of 2^22.
 */
export function allocationSize(size: number): number {
  const step = 2 ** 22;
  return size > 4 * step ? Math.ceil(size / step) * step : stagingSize(size);
}

/**
 * The same for the host's memory, where it takes longest: the next power of two, so that arrays of
 * 2 to 256 MiB of whatever lengths share buffers of eight sizes.
 */
export function stagingSize(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(bytes, 256)));
}

/** Something that holds GPU memory, or the host's memory that a GPU copies from and to. */
export interface Pooled {
  readonly bytes: number;
  /** Whether the memory is the host's, which has a limit of its own. Default false. */
  readonly isStaging?: boolean;
  destroy(): void;
}

interface Entry {
  readonly key: string;
  readonly item: Pooled;
}

/**
 * Keeps what sorts no longer use, up to `maxBytes` of the GPU's memory and `maxStagingBytes` of
 * the host's. The oldest is destroyed first.
 */
export class Pool {
  readonly #maxBytes: number;
  readonly #maxStagingBytes: number;
  /** The newest is at the end. */
  #entries: Entry[] = [];

  constructor(maxBytes: number, maxStagingBytes: number) {
    this.#maxBytes = maxBytes;
    this.#maxStagingBytes = maxStagingBytes;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Takes what was put under `key` last, or undefined. */
  take<T extends Pooled>(key: string): T | undefined {
    const at = this.#entries.findLastIndex((entry) => entry.key === key);
    return at < 0 ? undefined : (this.#entries.splice(at, 1)[0]?.item as T);
  }

  put(key: string, item: Pooled): void {
    this.#entries.push({ key, item });
    const { isStaging = false } = item;
    const alike = ({ item }: Entry): boolean => (item.isStaging ?? false) === isStaging;
    const most = isStaging ? this.#maxStagingBytes : this.#maxBytes;
    let bytes = this.#entries.filter(alike).reduce((sum, entry) => sum + entry.item.bytes, 0);
    while (bytes > most) {
      const [oldest] = this.#entries.splice(this.#entries.findIndex(alike), 1) as [Entry];
      bytes -= oldest.item.bytes;
      oldest.item.destroy();
    }
  }

  /** Destroys all that is kept. */
  clear(): void {
    for (const { item } of this.#entries) item.destroy();
    this.#entries = [];
  }
}

const { MAP_READ, MAP_WRITE, STORAGE, COPY_SRC, COPY_DST, QUERY_RESOLVE } = BufferUsage;

/** What one piece of work has taken from a pool, or made. */
export class Leases {
  readonly #device: GPUDevice;
  readonly #pool: Pool;
  #taken: { readonly key: string; readonly item: Pooled }[] = [];

  constructor(device: GPUDevice, pool: Pool) {
    this.#device = device;
    this.#pool = pool;
  }

  /** A buffer of at least `bytes` on the GPU, with whatever content. */
  buffer(bytes: number): GPUBuffer {
    const { maxBufferSize } = this.#device.limits;
    const size = Math.min(allocationSize(bytes), maxBufferSize - (maxBufferSize % 8));
    return this.#take(`buffer ${size}`, () => {
      const usage = STORAGE | COPY_SRC | COPY_DST | QUERY_RESOLVE;
      return new PooledBuffer(this.#device, { label: 'keysweep', size, usage });
    }).buffer;
  }

  /** A buffer of `size` bytes that the host fills. */
  uploadBuffer(size: number): UploadBuffer {
    return this.#take(`upload ${size}`, () => new UploadBuffer(this.#device, size));
  }

  /** A buffer of `size` bytes that the GPU fills, and that may be mapped until it is returned. */
  readbackBuffer(size: number): GPUBuffer {
    return this.#take(`readback ${size}`, () => {
      const usage = MAP_READ | COPY_DST;
      return new PooledBuffer(this.#device, { label: 'keysweep readback', size, usage });
    }).buffer;
  }

  /** A sorter; columns of one kind share it, for their sorts run one after the other. */
  sorter(options: SorterOptions): RadixSorter {
    const key = JSON.stringify(options);
    const shared = this.#taken.find((taken) => taken.key === key)?.item as PooledSorter | undefined;
    if (shared !== undefined) return shared.sorter;
    return this.#take(key, () => new PooledSorter(RadixSorter.make(this.#device, options))).sorter;
  }

  /** Puts everything into the pool, for the next work. */
  returnAll(): void {
    // The oldest are destroyed where there is too much: the results' buffers, as one upload uses
    // its own often.
    for (const { key, item } of this.#taken.reverse()) {
      if (item instanceof PooledBuffer) item.unmap();
      this.#pool.put(key, item);
    }
    this.#taken = [];
  }

  /** Destroys memory that wasn't returned, because after a failure its state is unknown. */
  destroy(): void {
    for (const { item } of this.#taken) item.destroy();
    this.#taken = [];
  }

  #take<T extends Pooled>(key: string, make: () => T): T {
    const item = this.#pool.take<T>(key) ?? make();
    this.#taken.push({ key, item });
    return item;
  }
}

class PooledBuffer implements Pooled {
  readonly buffer: GPUBuffer;
  readonly isStaging: boolean;

  constructor(device: GPUDevice, descriptor: GPUBufferDescriptor) {
    this.buffer = device.createBuffer(descriptor);
    this.isStaging = (descriptor.usage & MAP_READ) !== 0;
  }

  get bytes(): number {
    return this.buffer.size;
  }

  unmap(): void {
    if (this.buffer.mapState === 'mapped') this.buffer.unmap();
  }

  destroy(): void {
    this.buffer.destroy();
  }
}

class PooledSorter implements Pooled {
  readonly sorter: RadixSorter;

  constructor(sorter: RadixSorter) {
    this.sorter = sorter;
  }

  get bytes(): number {
    return this.sorter.scratchBytes;
  }

  destroy(): void {
    this.sorter.destroy();
  }
}

/** The host's memory that the GPU copies from: mapped for writing, or soon to be mapped again. */
export class UploadBuffer implements Pooled {
  readonly isStaging = true;
  readonly #device: GPUDevice;
  readonly #buffer: GPUBuffer;
  #mapped: Promise<unknown> = Promise.resolve();
  /** The mapped words, which a mapping gives once. */
  #words: Uint32Array | undefined;

  constructor(device: GPUDevice, size: number) {
    this.#device = device;
    try {
      this.#buffer = device.createBuffer({
        label: 'keysweep upload',
        size,
        usage: MAP_WRITE | COPY_SRC,
        mappedAtCreation: true,
      });
    } catch (error) {
      // The host had no memory for the mapping, which no error scope reports.
      if (!(error instanceof RangeError)) throw error;
      throw new OutOfMemoryError(error.message, { cause: error });
    }
  }

  get bytes(): number {
    return this.#buffer.size;
  }

  /** Resolves when it can be filled; rejects when it was destroyed. */
  get ready(): Promise<unknown> {
    return this.#mapped;
  }

  /** Fills `bytes` by `fill`, and submits their copy to `target` at `offset`. */
  send(bytes: number, fill: (words: Uint32Array) => void, target: GPUBuffer, offset: number): void {
    const { queue } = this.#device;
    fill(this.#view(bytes));
    this.#buffer.unmap();
    this.#words = undefined;
    const encoder = this.#device.createCommandEncoder({ label: 'keysweep upload' });
    encoder.copyBufferToBuffer(this.#buffer, 0, target, offset, bytes);
    queue.submit([encoder.finish()]);
    // Mapped again at once, so that the next use, in this sort or another, need not wait.
    this.#mapped = this.#buffer.mapAsync(MapMode.WRITE);
    // It may be destroyed before it is awaited.
    this.#mapped.catch(() => {});
  }

  /**
   * Resolves to the `bytes` that were sent last: a mapping for writing holds what the host wrote.
   * They stay until it is sent again or destroyed, even where the device is lost.
   */
  async contents(bytes: number): Promise<Uint32Array> {
    await this.#mapped;
    return this.#view(bytes);
  }

  #view(bytes: number): Uint32Array {
    this.#words ??= new Uint32Array(this.#buffer.getMappedRange());
    return this.#words.subarray(0, bytes / 4);
  }

  destroy(): void {
    this.#buffer.destroy();
  }
}
