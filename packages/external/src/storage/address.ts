/** Names of files: paths of this machine, and addresses such as `s3://bucket/key`. */

import { join } from 'node:path';

/** Whether `name` is an address, and no path. */
export const isAddress = (name: string): boolean => /^[a-z][a-z0-9+.-]+:\/\//i.test(name);

/** The file `name` in `folder`, which is a path or an address. */
export function nameIn(folder: string, name: string): string {
  if (!isAddress(folder)) return join(folder, name);
  return folder.endsWith('/') ? folder + name : `${folder}/${name}`;
}
