/** Memory that is kept for the next sort. */

/** Something that holds GPU memory, or the host's memory that a GPU copies from and to. */
export interface Holder {
  readonly bytes: number;
  /** Whether the memory is the host's, which has a bound of its own. Default false. */
  readonly isStaging?: boolean;
  destroy(): void;
}

interface Entry {
  readonly key: string;
  readonly holder: Holder;
}

/**
 * Keeps what sorts no longer use, up to `mostBytes` of the GPU's memory and `mostStagingBytes` of the host's; what has
 * been there longest goes first.
 */
export class Pool {
  readonly #mostBytes: number;
  readonly #mostStagingBytes: number;
  /** The one that came last is at the end. */
  #entries: Entry[] = [];

  constructor(mostBytes: number, mostStagingBytes: number) {
    this.#mostBytes = mostBytes;
    this.#mostStagingBytes = mostStagingBytes;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  /** Takes what was put under `key`, or undefined. */
  take<T extends Holder>(key: string): T | undefined {
    const at = this.#entries.findLastIndex((entry) => entry.key === key);
    return at < 0 ? undefined : (this.#entries.splice(at, 1)[0]?.holder as T);
  }

  put(key: string, holder: Holder): void {
    this.#entries.push({ key, holder });
    const { isStaging = false } = holder;
    const alike = ({ holder }: Entry): boolean => (holder.isStaging ?? false) === isStaging;
    const most = isStaging ? this.#mostStagingBytes : this.#mostBytes;
    let bytes = this.#entries.filter(alike).reduce((sum, entry) => sum + entry.holder.bytes, 0);
    while (bytes > most) {
      const [oldest] = this.#entries.splice(this.#entries.findIndex(alike), 1) as [Entry];
      bytes -= oldest.holder.bytes;
      oldest.holder.destroy();
    }
  }

  /** Destroys all that is kept. */
  clear(): void {
    for (const { holder } of this.#entries) holder.destroy();
    this.#entries = [];
  }
}

/**
 * The size to allocate for `size`, so that sizes near each other share memory: the next power of two, or
 * from 2^24 on the next multiple of 2^22.
 */
export function roomFor(size: number): number {
  const step = 2 ** 22;
  if (size > 4 * step) return Math.ceil(size / step) * step;
  return 2 ** Math.ceil(Math.log2(Math.max(size, 256)));
}
