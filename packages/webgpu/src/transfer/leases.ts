/** Memory on loan from a session's pool. */

import type { Session } from '../device/session.js';
import { BufferUsage } from '../device/usage.js';
import { RadixSorter } from '../sorter/radix-sorter.js';
import { type Holder, roomFor } from './pool.js';
import { UploadBuffer } from './upload-buffer.js';
import type { Column, Work } from './work.js';

const { MAP_READ, STORAGE, COPY_SRC, COPY_DST, QUERY_RESOLVE } = BufferUsage;

/** What a piece of work has taken from the session's pool, or made. */
export class Loans {
  readonly #session: Session;
  #taken: { readonly key: string; readonly holder: Holder }[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /** A buffer of at least `bytes` on the GPU, whatever is in it. */
  buffer(bytes: number): GPUBuffer {
    const { maxBufferSize } = this.#session.device.limits;
    const size = Math.min(roomFor(bytes), maxBufferSize - (maxBufferSize % 8));
    return this.#take(`buffer ${size}`, () => {
      const usage = STORAGE | COPY_SRC | COPY_DST | QUERY_RESOLVE;
      return new KeptBuffer(this.#session.device, { label: 'keysweep', size, usage });
    }).buffer;
  }

  /** A buffer of `size` bytes that is filled by the host. */
  uploadBuffer(size: number): UploadBuffer {
    return this.#take(`upload ${size}`, () => new UploadBuffer(this.#session.device, size));
  }

  /** A buffer of `size` bytes that is filled by the GPU, and may be mapped until it is given back. */
  readbackBuffer(size: number): GPUBuffer {
    return this.#take(`readback ${size}`, () => {
      const usage = MAP_READ | COPY_DST;
      return new KeptBuffer(this.#session.device, { label: 'keysweep readback', size, usage });
    }).buffer;
  }

  sorter({ keyType, order, keyBits }: Column, valueWords: 0 | 1 | 2, work: Work): RadixSorter {
    const { device, chunkLength } = this.#session;
    const valueType = ([undefined, 'u32', 'u64'] as const)[valueWords];
    const maxCount = work.segments === undefined ? Math.min(roomFor(work.count), chunkLength) : 0;
    const options = { keyType, order, keyBits, valueType, maxCount, approximate: work.approximate };
    const key = JSON.stringify(options);
    // Columns of one kind share a sorter: its sorts run one after the other.
    const shared = this.#taken.find((taken) => taken.key === key)?.holder as KeptSorter | undefined;
    if (shared !== undefined) return shared.sorter;
    return this.#take(key, () => new KeptSorter(RadixSorter.make(device, options))).sorter;
  }

  /** Puts everything into the pool, for others. */
  giveBack(): void {
    // Of what is too much, results' buffers go before those of uploads, which one sort uses many times.
    for (const { key, holder } of this.#taken.reverse()) {
      if (holder instanceof KeptBuffer) holder.unmap();
      this.#session.pool.put(key, holder);
    }
    this.#taken = [];
  }

  /** Destroys what was not given back: nobody knows what state it is in. */
  destroy(): void {
    for (const { holder } of this.#taken) holder.destroy();
    this.#taken = [];
  }

  #take<T extends Holder>(key: string, make: () => T): T {
    const holder = this.#session.pool.take<T>(key) ?? make();
    this.#taken.push({ key, holder });
    return holder;
  }
}

class KeptBuffer implements Holder {
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

class KeptSorter implements Holder {
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
