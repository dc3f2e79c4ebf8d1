/** The interface behind which files lie: they are read by ranges and written front to back. */

import { allDone } from '../all-done.js';

/** A file that is open for reading. */
export interface StoredFile {
  /** In bytes, when it was opened. */
  readonly size: number;
  /** Changes whenever the contents change. */
  readonly version: string;
  /** Fills `into` with the bytes that begin at `from`. @throws ExternalError if there are fewer */
  read(into: Uint8Array, from: number): Promise<void>;
  /**
   * Fills `into` at once if that is as quick as a promise, and returns whether it has. If it has
   * not, call `read`, which also says why.
   */
  readNow?(into: Uint8Array, from: number): boolean;
  /** Gives the file back. */
  close(): Promise<void>;
}

/** A file that is being written. */
export interface StoredStream {
  /** Resolves when `bytes` may be changed; the next call comes after that. */
  write(bytes: Uint8Array): Promise<void>;
  /** Ends the file, which is whole now. */
  close(): Promise<void>;
  /** Ends it after a failure. If anything is left of the file, it is not whole. */
  abort(): Promise<void>;
}

/** The place of a result. */
export interface StoredOutput {
  /** Its folder, for the temporary file that becomes it. */
  readonly folder: string;
  /** The file, or the one that a link leads to. */
  readonly path: string;
  /**
   * Makes the empty file `temporary`, which only this user may read. It is then written by
   * `Storage.write`, from 0 to at most `most` bytes; `Storage.remove` gives it up.
   */
  create(temporary: string, most: number): Promise<void>;
  /** Makes the whole file `temporary` the output, in place of what was there. */
  commit(temporary: string): Promise<void>;
  /** For `resume`: distinguishes the file `temporary` from another one that takes its name. */
  identityOf?(temporary: string): string;
  /**
   * For `resume`: takes the temporary file that an ended process called `left`, if it has this
   * `identity`, and `bytes` or more, as `temporary`. Returns whether it has.
   */
  adopt?(left: string, identity: string, bytes: number, temporary: string): boolean;
  /** Gives back what it holds: call it after `commit`, and if nothing is written. */
  close?(): Promise<void>;
}

/**
 * A place for inputs, outputs and temporary files. Names are paths or addresses; `nameIn` puts them
 * together.
 */
export interface Storage {
  /** Opens a file for reading. */
  open(path: string): Promise<StoredFile>;
  /** Makes a file, or continues one after its first `from` bytes, which are there. */
  write(path: string, from?: number): Promise<StoredStream>;
  /** Makes a folder that only this user may read. */
  makeFolder(path: string): Promise<void>;
  /** The names in a folder that start with `prefix`, by default all. Does not look into folders. */
  list(folder: string, prefix?: string): Promise<readonly string[]>;
  /** Gives a file another name; one that is there is replaced. */
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, or a folder with all that is in it. Does nothing if there is none. */
  remove(path: string): Promise<void>;
  /**
   * Opens the place of an output.
   * @throws ExternalError if nothing can be written to `path`
   */
  output(path: string): Promise<StoredOutput>;
  /** Bytes that can be written to a folder, and its device; undefined if that is not known. */
  space(folder: string): Promise<{ readonly free: number; readonly device: number } | undefined>;
  /** Bytes that a file being written to a folder holds in memory until it is closed. */
  streamBytes(folder: string): Promise<number>;
}

/**
 * Does `work`, then ends `streams`, also streams that `work` has added to the list: as whole files,
 * or, if `work` fails, as none. Resolves to its result.
 */
export async function writeWhole<T>(
  streams: readonly StoredStream[],
  work: () => Promise<T>,
): Promise<T> {
  let result: T;
  try {
    result = await work();
  } catch (error) {
    // The first error tells why. Whoever made the files removes the rest of them.
    await Promise.allSettled(streams.map((stream) => stream.abort()));
    throw error;
  }
  await allDone(streams.map((stream) => stream.close()));
  return result;
}
