/**
 * Errors of backends. They are apart from `ClosedError` because a page that sorts short arrays
 * never downloads them.
 */

import type { BackendName } from './contract.js';

/** The backend that you named cannot serve this request on this machine; `reason` says why. */
export class BackendUnavailableError extends Error {
  override readonly name = 'BackendUnavailableError';
  /** The backend that was named. */
  readonly backend: BackendName;
  /** Why, as a clause: "WebAssembly is not available here". */
  readonly reason: string;

  constructor(backend: BackendName, reason: string, options?: { cause?: unknown }) {
    super(`backend '${backend}' cannot serve this sort: ${reason}`, options);
    this.backend = backend;
    this.reason = reason;
  }
}

/** A backend broke half way: a thread died, or memory ran out. Your arrays are as they were. */
export class BackendFailedError extends Error {
  override readonly name = 'BackendFailedError';
  /** The backend that broke. */
  readonly backend: BackendName;

  constructor(backend: BackendName, what: string, options?: { cause?: unknown }) {
    super(`backend '${backend}' failed: ${what}`, options);
    this.backend = backend;
  }
}
