/** How a caller ends a call. */

/** The part of `AbortSignal` that keysweep uses. */
export interface CancelSignal {
  /** Whether the call should end. */
  readonly aborted: boolean;
  /** The reason that an aborted call rejects with. */
  readonly reason: unknown;
  /** Calls `listener` when the signal aborts. */
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  /** Removes a listener. */
  removeEventListener(type: 'abort', listener: () => void): void;
}
