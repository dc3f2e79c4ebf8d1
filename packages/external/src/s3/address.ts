/** Addresses of objects: `s3://bucket/key`. */

import { ExternalError } from '../error.js';
import { shownAddress } from '../shown.js';

/** Where an object is. The key of a folder has no slash at its end. */
export interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/**
 * @throws ExternalError for what is no such address, or could lead out of its bucket: many stores,
 *   and what stands between, take '..' in the path of a request as file systems do
 */
export function placeOf(address: string): Place {
  const [, Bucket, Key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(address) ?? [];
  // Before a request is made of it, because the client puts the bucket into its errors.
  if (Bucket !== undefined && (Bucket.includes('@') || /^(?!arn:).*:/.test(Bucket))) {
    throw new ExternalError(
      `'${shownAddress(address)}' was given with credentials: leave them out of the address, the ` +
        'client takes them from its settings and the environment',
    );
  }
  if (Bucket === undefined) {
    throw new ExternalError(`'${shownAddress(address)}' is no address such as 's3://bucket/key'`);
  }
  if (!hasDots(`${Bucket}/${Key}`)) return { Bucket, Key: Key.replace(/\/$/, '') };
  throw new ExternalError(
    `'${address}' has '.' or '..' between slashes, which some stores follow out of the bucket; ` +
      'give the object another key',
  );
}

/** Whether a key has a part that stores may take for a folder's own name or its parent's. */
export const hasDots = (key: string): boolean => /(^|[/\\])\.\.?([/\\]|$)/.test(key);

/** The place of an object. @throws ExternalError for a bucket or a folder */
export function objectOf(address: string): Place {
  const place = placeOf(address);
  if (place.Key !== '' && !address.endsWith('/')) return place;
  throw new ExternalError(
    `'${shownAddress(address)}' is no object: its address needs a key after the bucket`,
  );
}

export const addressOf = ({ Bucket, Key }: Place): string => `s3://${Bucket}/${Key}`;
