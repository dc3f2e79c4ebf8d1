/**
 * The clock, which belongs to a page, an edge function or Node, and not to the language: a realm
 * may have no clock but that of dates. It is apart from timers because a page needs it before its
 * first sort.
 */

interface Globals {
  readonly performance?: { now(): number };
}

// Of neither the DOM nor Node alone.
const globals = globalThis as unknown as Globals;

/** Milliseconds since a fixed moment; whole ones if the realm has only the clock of dates. */
export const readClock = (): number => (globals.performance ?? Date).now();
