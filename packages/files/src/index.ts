/**
 * @keysweep/files: columns of numbers in raw, Parquet and Arrow files, read from a byte source and
 * written to a byte sink. It runs wherever JavaScript does: files, pipes and blobs are the caller's.
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
