/**
 * @keysweep/external/s3: objects of Amazon S3, and of all that speaks its protocol, as files.
 *
 * ```ts
 * import { sortFile } from '@keysweep/external';
 * import { s3Storage } from '@keysweep/external/s3';
 * const storage = s3Storage();
 * await sortFile('s3://bucket/ids', 's3://bucket/sorted', { type: 'u64', storage });
 * ```
 */

export { type S3StorageOptions, s3Storage } from './s3/storage.js';
