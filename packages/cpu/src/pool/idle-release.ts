/** Gives working memory back when no sort has come for a while. */

import { after } from '@keysweep/core';

/** Milliseconds without a sort after which memory over `keepBytes` is given back. */
const IDLE_RELEASE_MS = 30_000;

/** Gives back what is held, if it is more than may be kept, after 30 seconds without work. */
export class IdleRelease {
  readonly #keepBytes: number;
  readonly #heldBytes: () => number;
  readonly #release: () => Promise<void>;
  #running = 0;
  #stopTimer = (): void => {};

  constructor(keepBytes: number, heldBytes: () => number, release: () => Promise<void>) {
    this.#keepBytes = keepBytes;
    this.#heldBytes = heldBytes;
    this.#release = release;
  }

  /** Does `work`, which needs what is held: meanwhile nothing is given back. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#stopTimer();
    this.#running++;
    try {
      return await work();
    } finally {
      this.#running--;
      if (this.#running === 0 && this.#heldBytes() > this.#keepBytes) this.#wait();
    }
  }

  #wait(): void {
    // No caller waits for this release, so a failure to end threads has no one to reject.
    this.#stopTimer = after(IDLE_RELEASE_MS, () => void this.#release().catch(() => {}));
  }
}

/** V8 looks for garbage when counted buffers grow by half of this. */
const COLLECTED_FROM = 128 * 2 ** 20;

/**
 * Makes the collector look for `bytes` of shared memory that were dropped, if that is much. V8 does
 * not count shared memory, so a process that does little else would never free it. A buffer that V8
 * does count is allocated instead. It is never touched: it takes addresses and no memory. Returns
 * whether it was much.
 */
export function promptCollector(bytes: number): boolean {
  if (bytes < COLLECTED_FROM) return false;
  try {
    new ArrayBuffer(COLLECTED_FROM);
  } catch {
    // If there is no room for it, the collector has looked already.
  }
  return true;
}

/**
 * Prompts the collector in a turn of the event loop of its own. Otherwise it would keep what the
 * frames of callers refer to until it looks the next time.
 */
export function promptCollectorSoon(bytes: number): void {
  if (bytes < COLLECTED_FROM) return;
  after(0, () => void promptCollector(bytes));
}
