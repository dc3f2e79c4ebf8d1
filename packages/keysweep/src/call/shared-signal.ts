/** One listener on a caller's signal, for all calls that have this signal at the same time. */

import type { CancelSignal } from '@keysweep/core';

const shared = new WeakMap<CancelSignal, CancelSignal>();

/**
 * The signal that keysweep uses in place of the caller's, one for all calls with that signal. It
 * has one listener on the caller's while anybody listens to it, because Node warns of a leak if a
 * signal has more than ten.
 */
export function sharedSignal(caller: CancelSignal): CancelSignal {
  const known = shared.get(caller);
  if (known !== undefined) return known;
  const listeners = new Set<() => void>();
  const onAbort = (): void => {
    // Each is removed by whoever added it.
    for (const listener of [...listeners]) listener();
  };
  const signal: CancelSignal = {
    get aborted() {
      return caller.aborted;
    },
    get reason() {
      return caller.reason;
    },
    addEventListener(type, listener) {
      if (listeners.size === 0) caller.addEventListener(type, onAbort);
      listeners.add(listener);
    },
    removeEventListener(type, listener) {
      const isLast = listeners.delete(listener) && listeners.size === 0;
      if (isLast) caller.removeEventListener(type, onAbort);
    },
  };
  shared.set(caller, signal);
  return signal;
}
