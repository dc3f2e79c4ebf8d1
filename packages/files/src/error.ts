/** What can be wrong with a file. */

import { printable } from '@keysweep/core';

/**
 * A file cannot be read. The message is one clause that names the file and says why. Characters
 * that a terminal acts on, which a file's own names may hold, are escaped.
 */
export class FileError extends Error {
  override readonly name: string = 'FileError';

  constructor(message: string, options?: ErrorOptions) {
    super(printable(message), options);
  }
}

/**
 * The result of `work`.
 * @throws FileError as `work` throws it; any other error as a FileError that says "<what>: <why>".
 */
export async function explained<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof FileError) throw cause;
    throw new FileError(`${what}: ${reasonIn(cause)}`, { cause });
  }
}

/** Why `work` failed. An error of the language itself says nothing about the file. */
function reasonIn(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const isOfTheLanguage = cause instanceof TypeError || cause instanceof RangeError;
  return isOfTheLanguage ? 'it is damaged, or of another format' : cause.message;
}
