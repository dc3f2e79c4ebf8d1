/** What the dispatcher knows of the machine that it runs on, without a look at any backend. */

export interface Machine {
  /**
   * The runtime and its version: "Node.js 20.20.2", "Chrome 147". Figures of another are not
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
  /** Bytes that could still be taken, as far as anybody says; Infinity where nobody does. */
  freeBytes(): number;
}

/** This version of keysweep: figures that were measured with another are not used. */
export const VERSION = '0.1.0';
