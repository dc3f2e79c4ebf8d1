/** How long memory is kept for the next sort. */

/** How long more than may be kept is kept all the same, in milliseconds. */
const KEPT_FOR = 30_000;

/** Gives back what is held, if it is more than may be kept, once nothing has come for 30 seconds. */
export class Keeping {
  readonly #keepBytes: number;
  readonly #heldBytes: () => number;
  readonly #giveBack: () => Promise<void>;
  #busy = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(keepBytes: number, heldBytes: () => number, giveBack: () => Promise<void>) {
    this.#keepBytes = keepBytes;
    this.#heldBytes = heldBytes;
    this.#giveBack = giveBack;
  }

  /** Does `work`, which needs what is held: meanwhile nothing is given back. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    clearTimeout(this.#timer);
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      if (this.#busy === 0 && this.#heldBytes() > this.#keepBytes) this.#wait();
    }
  }

  #wait(): void {
    // Nobody asked for it, so nobody is told where threads do not end as they should.
    const giveBack = (): void => void this.#giveBack().catch(() => {});
    this.#timer = setTimeout(giveBack, KEPT_FOR);
    // A process does not stay for it; in a page timers are numbers.
    this.#timer.unref?.();
  }
}

/** What a collector that counts buffers takes for much: V8 looks for garbage at every 64 MiB. */
const MUCH = 128 * 2 ** 20;

/**
 * Has the collector look for `bytes` of shared memory that nobody holds any more, if that is much. V8 does not count such
 * memory, and in a process that has little else to do it would find it never; so it is shown a buffer that it does count. That is
 * never touched: it takes addresses and no memory.
 */
export function showGarbage(bytes: number): void {
  if (bytes < MUCH) return;
  try {
    new ArrayBuffer(MUCH);
  } catch {
    // Where there is no room for it, the collector has looked already.
  }
}
