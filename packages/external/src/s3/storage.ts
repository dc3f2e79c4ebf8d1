/** Objects of S3 as files: a `Storage` of addresses `s3://bucket/key`. */

import {
  CopyObjectCommand,
  DeleteObjectCommand,
  HeadBucketCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { atOnce } from '../at-once.js';
import { ExternalError } from '../error.js';
import { wholeNumber } from '../open/check.js';
import type { Storage, StoredOutput, StoredStream } from '../storage/storage.js';
import { addressOf, hasDots, objectOf, placeOf } from './address.js';
import { answered, statusOf } from './error.js';
import { openObject } from './read.js';
import { MAX_PARTS, Upload } from './upload.js';

/** Options of `s3Storage`. */
export interface S3StorageOptions {
  /**
   * Makes the requests, and repeats those that fail as it was told to. Default: one with the
   * settings of the environment, which makes up to 5 attempts. `AWS_ENDPOINT_URL_S3` names
   * another store than Amazon's, whose buckets are then parts of paths.
   */
  readonly client?: S3Client;
  /** Bytes of a part of an upload, up to 5 GiB; S3 takes none under 5 MiB. Default 8 MiB. */
  readonly partBytes?: number;
  /** Requests for one file that are under way at once. Default 8. */
  readonly requests?: number;
}

const MIB = 2 ** 20;

/**
 * Objects of S3 as files, for the option `storage` of `sortFile` and `checkFile`. Their names are
 * addresses `s3://bucket/key`, whose key is taken as it stands.
 *
 * Objects are read by ranges alone. An object appears when it is whole: by one request, or as an
 * upload of several parts, which is completed at the end and else aborted. A file that is written
 * holds `partBytes` in memory. Not for objects: to go on with one that was begun, and `rename` of
 * those over 5 GB.
 *
 * ```ts
 * const client = new S3Client({ region: 'eu-central-1' });
 * const storage = s3Storage({ client });
 * await sortFile('s3://bucket/ids', 's3://bucket/sorted', { type: 'u64', storage });
 * ```
 * @throws TypeError, RangeError that name the option
 */
export function s3Storage(options: S3StorageOptions = {}): Storage {
  const { client = newClient() } = options;
  if (typeof (client as Partial<S3Client>).send !== 'function') {
    throw new TypeError('client must be an S3Client of @aws-sdk/client-s3');
  }
  const given = {
    partBytes: wholeNumber('partBytes', options.partBytes ?? 8 * MIB, 1, 5 * 1024 * MIB),
    requests: wholeNumber('requests', options.requests ?? 8, 1, 1000),
  };
  /** Outputs that are being written, by the names of their temporary files. */
  const outputs = new Map<string, Upload>();

  const keysAt = async (address: string): Promise<string[]> => {
    const { Bucket, Key } = placeOf(address);
    const found = await listed(client, { Bucket, Prefix: Key });
    // A name in the bucket is somebody else's word, too.
    return found.filter((key) => key === Key || (key.startsWith(`${Key}/`) && !hasDots(key)));
  };

  const remove = async (address: string): Promise<void> => {
    await outputs.get(address)?.abort();
    if (outputs.delete(address)) return;
    const { Bucket } = objectOf(address);
    await answered(`cannot remove '${address}'`, async () =>
      atOnce(given.requests, await keysAt(address), async (Key) => {
        await client.send(new DeleteObjectCommand({ Bucket, Key }));
      }),
    );
  };

  return {
    open: (address) => openObject(client, address, given.requests),

    async write(address, from = 0) {
      const output = outputs.get(address);
      if (from > 0) throw new ExternalError(`cannot go on with '${address}': it is no local file`);
      if (output !== undefined) return streamOf(output);
      const upload = new Upload(client, objectOf(address), given);
      return {
        write: (bytes) => upload.write(bytes),
        async close() {
          try {
            await upload.finish();
          } catch (error) {
            await upload.abort();
            throw error;
          }
        },
        abort: () => upload.abort(),
      };
    },

    // There are no folders, but for the names of objects.
    makeFolder: () => Promise.resolve(),

    async list(folder, prefix = '') {
      const { Bucket, Key } = placeOf(folder);
      const start = Key === '' ? '' : `${Key}/`;
      const found = await answered(`cannot list '${folder}'`, () =>
        listed(client, { Bucket, Prefix: start + prefix, Delimiter: '/' }),
      );
      return found.map((key) => key.slice(start.length).replace(/\/$/, ''));
    },

    async rename(from, to) {
      const [source, target] = [objectOf(from), objectOf(to)];
      await answered(`cannot rename '${from}'`, async () =>
        atOnce(given.requests, await keysAt(from), async (key) => {
          const CopySource = [source.Bucket, ...key.split('/')].map(encodeURIComponent).join('/');
          const Key = target.Key + key.slice(source.Key.length);
          await client.send(new CopyObjectCommand({ Bucket: target.Bucket, Key, CopySource }));
        }),
      );
      await remove(from);
    },

    remove,

    async output(address): Promise<StoredOutput> {
      const place = objectOf(address);
      const { Bucket, Key } = place;
      await answered(`cannot write '${address}'`, async () => {
        try {
          await client.send(new HeadBucketCommand({ Bucket }));
        } catch (error) {
          if (statusOf(error) === 404) throw new Error(`there is no bucket '${Bucket}'`);
          // Who may not look at a bucket may still write to it.
          if (statusOf(error) !== 403) throw error;
        }
      });
      return {
        path: address,
        folder: addressOf({ Bucket, Key: Key.slice(0, Math.max(0, Key.lastIndexOf('/'))) }),
        async create(temporary, most) {
          const partBytes = Math.max(given.partBytes, Math.ceil(most / MAX_PARTS));
          outputs.set(temporary, new Upload(client, place, { ...given, partBytes }));
        },
        async commit(temporary) {
          await outputs.get(temporary)?.finish();
          outputs.delete(temporary);
        },
      };
    },

    space: () => Promise.resolve(undefined),
    streamBytes: () => Promise.resolve(given.partBytes),
  };
}

/** An output that is written now, and is made whole by `commit` or given up by `remove`. */
const streamOf = (output: Upload): StoredStream => ({
  write: (bytes) => output.write(bytes),
  close: () => Promise.resolve(),
  abort: () => Promise.resolve(),
});

/**
 * Milliseconds of silence after which a connection is given up, its request repeated. Stores
 * that the environment names may have no host name for each bucket, as Amazon's have.
 */
const newClient = (): S3Client =>
  new S3Client({
    maxAttempts: 5,
    forcePathStyle: ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'].some((name) => process.env[name]),
    requestHandler: { connectionTimeout: 10_000, socketTimeout: 60_000 },
  });

/** All keys that start with `Prefix`; with `Delimiter` those up to the next one. */
async function listed(
  client: S3Client,
  request: { readonly Bucket: string; readonly Prefix: string; readonly Delimiter?: string },
): Promise<string[]> {
  const keys: string[] = [];
  let ContinuationToken: string | undefined;
  do {
    const answer = await client.send(new ListObjectsV2Command({ ...request, ContinuationToken }));
    for (const { Key } of answer.Contents ?? []) if (Key !== undefined) keys.push(Key);
    for (const { Prefix } of answer.CommonPrefixes ?? []) {
      if (Prefix !== undefined) keys.push(Prefix);
    }
    ContinuationToken = answer.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return keys;
}
