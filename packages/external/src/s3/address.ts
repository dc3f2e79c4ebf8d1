/** Addresses of objects: `s3://bucket/key`. */

import { ExternalError } from '../error.js';

/** Where an object is. The key of a folder has no slash at its end. */
export interface Place {
  readonly Bucket: string;
  readonly Key: string;
}

/** @throws ExternalError for what is no such address */
export function placeOf(address: string): Place {
  const [, Bucket, Key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/s.exec(address) ?? [];
  if (Bucket !== undefined) return { Bucket, Key: Key.replace(/\/$/, '') };
  throw new ExternalError(`'${address}' is no address such as 's3://bucket/key'`);
}

/** The place of an object. @throws ExternalError for a bucket or a folder */
export function objectOf(address: string): Place {
  const place = placeOf(address);
  if (place.Key !== '' && !address.endsWith('/')) return place;
  throw new ExternalError(`'${address}' is no object: its address needs a key after the bucket`);
}

export const addressOf = ({ Bucket, Key }: Place): string => `s3://${Bucket}/${Key}`;
