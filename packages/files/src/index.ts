/**
 * @keysweep/files: columns of numbers in raw, Parquet and Arrow files. They are read from a byte
 * source; raw values are written to a byte sink. It needs neither Node.js nor a page: the caller
 * makes sources and sinks of files, pipes and blobs.
 */

export { FileError } from './error.js';
export { arrayNameOf, bytesOf, type KeyArrayClass, keyArrayClass } from './keys.js';
export { type Format, openTable } from './open.js';
export { writeRaw } from './raw.js';
export {
  type BlobLike,
  type ByteSink,
  type ByteSource,
  blobSource,
  bytesSource,
} from './source.js';
export type { Column, OnProgress, Progress, Table } from './table.js';
