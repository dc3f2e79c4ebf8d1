/** What can be wrong with a file. */

/** A file cannot be read. The message is one clause that names the file and says why. */
export class FileError extends Error {
  override readonly name = 'FileError';
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
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FileError(`${what}: ${why}`, { cause });
  }
}
