/** One listener on a caller's signal, for all calls that have this signal at the same time. */

import type { CancelSignal } from '@keysweep/core';

const shared = new WeakMap<CancelSignal, CancelSignal>();

/**
 * The signal that keysweep uses in place of the caller's, one for all calls with that signal. It has
 * a single listener on the caller's while anybody listens to it, because Node warns of a leak if a
 * signal has more than ten.
 */
export function sharedSignal(caller: CancelSignal): CancelSignal {
  const own = shared.get(caller) ?? new SharedSignal(caller);
  shared.set(caller, own);
  return own;
}

class SharedSignal implements CancelSignal {
  readonly #caller: CancelSignal;
  readonly #listeners = new Set<() => void>();
  readonly #onAbort = (): void => {
    // Each is removed by whoever added it.
    for (const listener of [...this.#listeners]) listener();
  };

  constructor(caller: CancelSignal) {
    this.#caller = caller;
  }

  get aborted(): boolean {
    return this.#caller.aborted;
  }

  get reason(): unknown {
    return this.#caller.reason;
  }

  addEventListener(type: 'abort', listener: () => void): void {
    if (this.#listeners.size === 0) this.#caller.addEventListener(type, this.#onAbort);
    this.#listeners.add(listener);
  }

  removeEventListener(type: 'abort', listener: () => void): void {
    const isLast = this.#listeners.delete(listener) && this.#listeners.size === 0;
    if (isLast) this.#caller.removeEventListener(type, this.#onAbort);
  }
}
