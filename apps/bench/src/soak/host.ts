/** What a soak asks of where it runs: a process of Node.js, or a page. */
export interface Host {
  /** The threads that live. */
  readonly threadCount: () => number;
  /** Ends one of them, if there is any, as a crash would. */
  readonly endThread: () => Promise<void>;
  /** Returns what tells how many listeners a signal has; called before it has any. */
  readonly watchListeners: (signal: AbortSignal) => () => number;
  /** Calls `hear` with each error of a promise that nobody handles, until the result is called. */
  readonly onUnhandled: (hear: (error: unknown) => void) => () => void;
}
