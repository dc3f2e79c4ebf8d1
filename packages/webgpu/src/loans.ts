/** GPU memory on loan from a session's pool. */

import { type Holder, roomFor } from './pool.js';
import { RadixSorter } from './radix-sorter.js';
import type { Session } from './session.js';
import { BufferUsage } from './usage.js';
import type { Column, Work } from './work.js';

const { STORAGE, COPY_SRC, COPY_DST } = BufferUsage;

/** What a piece of work has taken from the session's pool, or made. */
export class Loans {
  readonly #session: Session;
  #taken: { readonly key: string; readonly holder: Holder; readonly buffer?: GPUBuffer }[] = [];

  constructor(session: Session) {
    this.#session = session;
  }

  /** A buffer of at least `bytes`, whatever is in it. */
  buffer(bytes: number, usage: number = STORAGE | COPY_SRC | COPY_DST): GPUBuffer {
    const { device, pool } = this.#session;
    const size = Math.min(
      roomFor(bytes),
      device.limits.maxBufferSize - (device.limits.maxBufferSize % 8),
    );
    const key = `buffer ${usage} ${size}`;
    const kept = pool.take<KeptBuffer>(key);
    const holder = kept ?? new KeptBuffer(device.createBuffer({ label: 'keysweep', size, usage }));
    this.#taken.push({ key, holder, buffer: holder.buffer });
    return holder.buffer;
  }

  sorter({ keyType, order, keyBits }: Column, valueWords: 0 | 1 | 2, work: Work): RadixSorter {
    const { device, pool, chunkLength } = this.#session;
    const valueType = ([undefined, 'u32', 'u64'] as const)[valueWords];
    const maxCount = work.segments === undefined ? Math.min(roomFor(work.count), chunkLength) : 0;
    const options = { keyType, order, keyBits, valueType, maxCount, approximate: work.approximate };
    const key = JSON.stringify(options);
    // Columns of one kind share a sorter: its sorts run one after the other.
    const shared = this.#taken.find((taken) => taken.key === key)?.holder as KeptSorter | undefined;
    if (shared !== undefined) return shared.sorter;
    const holder = pool.take<KeptSorter>(key) ?? new KeptSorter(RadixSorter.make(device, options));
    this.#taken.push({ key, holder });
    return holder.sorter;
  }

  /** Puts everything into the pool, for others. */
  giveBack(): void {
    for (const { key, holder, buffer } of this.#taken) {
      if (buffer?.mapState === 'mapped') buffer.unmap();
      this.#session.pool.put(key, holder);
    }
    this.#taken = [];
  }

  /** Destroys what was not given back: nobody knows what state it is in. */
  destroy(): void {
    for (const { holder } of this.#taken) holder.destroy();
    this.#taken = [];
  }
}

class KeptBuffer implements Holder {
  readonly buffer: GPUBuffer;

  constructor(buffer: GPUBuffer) {
    this.buffer = buffer;
  }

  get bytes(): number {
    return this.buffer.size;
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
