/**
 * The clock and intervals, which belong to a page, an edge function or Node, and not to the
 * language: a realm may have no clock but that of dates, and no intervals. They are apart from
 * other timers because a page needs them before its first sort.
 */

interface Globals {
  readonly performance?: { now(): number };
  setInterval?(work: () => void, milliseconds: number): unknown;
  clearInterval?(timer: unknown): void;
}

// Of neither the DOM nor Node alone.
const globals = globalThis as unknown as Globals;

/** Milliseconds since a fixed moment; whole ones if the realm has only the clock of dates. */
export const readClock = (): number => (globals.performance ?? Date).now();

/**
 * Calls `work` once per `milliseconds`, until the function that is returned is called. Without
 * intervals, never.
 */
export function every(milliseconds: number, work: () => void): () => void {
  const timer = globals.setInterval?.(work, milliseconds);
  return () => globals.clearInterval?.(timer);
}
