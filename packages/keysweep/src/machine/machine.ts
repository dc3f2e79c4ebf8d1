/** What is known of the machine without a look at any backend. */

export interface Machine {
  /**
   * The runtime and its version: "Node.js 20.20.2", "Chrome 147". Profiles of another are not
   * used.
   */
  readonly runtime: string;
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
