/** Intervals: apart from other timers, because a page needs them before its first sort. */

interface Globals {
  setInterval?(work: () => void, milliseconds: number): unknown;
  clearInterval?(timer: unknown): void;
}

// Of neither the DOM nor Node alone: a realm may have no timers.
const globals = globalThis as unknown as Globals;

/**
 * Calls `work` once per `milliseconds`, until the function that is returned is called. Without
 * timers, never.
 */
export function every(milliseconds: number, work: () => void): () => void {
  const timer = globals.setInterval?.(work, milliseconds);
  return () => globals.clearInterval?.(timer);
}
