/** A password, and errors that do not say it. */

import { inspect } from 'node:util';
import { expect } from 'vitest';

export const SECRET = 'hunter2-correct-horse';

/** What an error says anywhere: its message, its causes, and what drivers keep in it. */
export const allOf = (error: unknown): string =>
  inspect(error, { depth: null, showHidden: true, maxStringLength: null });

/** The error of `work`, which has no secret in it. */
export async function cleanError(work: Promise<unknown>): Promise<Error> {
  const error = await work.then(
    () => new Error('nothing was thrown'),
    (thrown: Error) => thrown,
  );
  expect(allOf(error)).not.toContain(SECRET);
  expect(allOf(error)).not.toContain(encodeURIComponent(SECRET));
  return error;
}
