/** What is known of the machine without a look at any backend. */

import type { Runtime } from './runtime.js';

/** Profiles of another runtime are not used. */
export interface Machine extends Runtime {
  /** Whether Node's modules are there: in Node.js, Bun and Deno. */
  readonly isNode: boolean;
  /** Threads that the system lets this process use. */
  readonly cores: number;
  /**
   * Whether threads can work in one memory: in a page, whether it is isolated from other
   * origins.
   */
  readonly sharesMemory: boolean;
  /** Bytes of memory that are free; Infinity where that is not known. */
  freeBytes(): number;
}

/** The version of keysweep. Profiles that another version measured are not used. */
export const VERSION = '0.1.0';
