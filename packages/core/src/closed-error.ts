/** The error of a call that comes after an end. */

/**
 * The sorter or backend was closed before or during this call. Your arrays are as they were.
 */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';

  constructor(what: string) {
    super(`${what} is closed; create a new one`);
  }
}
