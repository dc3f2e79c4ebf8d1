/**
 * Timers, which belong to a page, an edge function or Node, and not to the language: a realm may
 * have none of them. Whatever waits for a time does so by these.
 */

/** A timer: a number in a page, an object in Node. */
type Timer = { readonly unref?: () => void } | undefined;

interface Globals {
  setTimeout?(work: () => void, milliseconds: number): Timer;
  clearTimeout?(timer: Timer): void;
  setInterval?(work: () => void, milliseconds: number): Timer;
  clearInterval?(timer: Timer): void;
}

// Of neither the DOM nor Node alone.
const globals = globalThis as unknown as Globals;

/**
 * Calls `work` once, after `milliseconds`, unless the function that is returned is called before.
 * Does not keep the process running. Without timers, never.
 */
export function after(milliseconds: number, work: () => void): () => void {
  const timer = globals.setTimeout?.(work, milliseconds);
  timer?.unref?.();
  return () => globals.clearTimeout?.(timer);
}

/**
 * Calls `work` once per `milliseconds`, until the function that is returned is called. Without
 * intervals, never.
 */
export function every(milliseconds: number, work: () => void): () => void {
  const timer = globals.setInterval?.(work, milliseconds);
  return () => globals.clearInterval?.(timer);
}
