/**
 * @keysweep/files: raw, NumPy, Parquet, Arrow, CSV and TSV files. Columns are read from a byte
 * source; numbers and whole rows are written to a byte sink. It needs neither Node.js nor a page:
 * the caller makes sources and sinks of files, pipes and blobs.
 */

export { countLineEnds } from './csv/line-ends.js';
export { FileError } from './error.js';
export { bytesOf, type KeyArrayClass, keyArrayClass } from './keys.js';
export { MemoryError } from './memory.js';
export { npyHeader } from './npy.js';
export {
  type Format,
  type NumbersFormat,
  type OpenOptions,
  openTable,
  type TableFormat,
  type TextFormat,
} from './open.js';
export { writeRaw } from './raw.js';
export {
  countRecords,
  type RecordColumn,
  type RecordKey,
  recordColumns,
  writeRecords,
} from './records.js';
export {
  type BlobLike,
  type ByteSink,
  type ByteSource,
  blobSource,
  bytesSource,
} from './source.js';
export { memoryOfStored, type StoredColumn } from './stored/column.js';
export { type Argsort, type SortKeys, sortKeysOf } from './stored/keys.js';
export { takeRecords, takeRows } from './stored/take.js';
export type {
  Column,
  Layout,
  OnProgress,
  Progress,
  StoredTable,
  Table,
  TableMemory,
  TextTable,
} from './table.js';
export { performTask, type ThreadResult, type Threads, type ThreadTask } from './threads.js';
export { type Rows, writeTable } from './write.js';
