/** What can be wrong with files. */

import { getSystemErrorMap } from 'node:util';

/** A file cannot be sorted. The message is one line that names the file and says why. */
export class ExternalError extends Error {
  override readonly name = 'ExternalError';
}

/** The reason in an error of the system: "no such file or directory (ENOENT)". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { errno } = error as NodeJS.ErrnoException;
  const known = errno === undefined ? undefined : getSystemErrorMap().get(errno);
  return known === undefined ? error.message : `${known[1]} (${known[0]})`;
}

/**
 * The result of `work`.
 * @throws ExternalError as `work` throws it; any other error as one that says "<what>: <reason>"
 */
export async function explained<T>(what: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof ExternalError) throw cause;
    throw new ExternalError(`${what}: ${reasonOf(cause)}`, { cause });
  }
}

/**
 * The results of all `works`, once every one of them has ended: what they work on is then free.
 * @throws what the first of them that failed throws
 */
export async function allOf<T>(works: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}
