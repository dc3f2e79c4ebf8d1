/** Names of the command line that are addresses of S3. */

import { isAddress, type Storage } from '@keysweep/external/storage';
import { Failure } from '../failure.js';

/** Whether one of `names` is an address; others are paths, or missing. */
export const haveAddress = (names: readonly (string | undefined)[]): boolean =>
  names.some((name) => name !== undefined && isAddress(name));

/**
 * Where addresses lead: to S3, by the settings of the environment. Its client is loaded when the
 * first address is used; without it that is a Failure.
 */
export function remoteStorage(): Storage {
  let loading: Promise<Storage> | undefined;
  const loaded = (): Promise<Storage> => {
    loading ??= loadStorage();
    return loading;
  };
  return {
    open: async (path) => (await loaded()).open(path),
    write: async (path, from) => (await loaded()).write(path, from),
    makeFolder: async (path) => (await loaded()).makeFolder(path),
    list: async (folder, prefix) => (await loaded()).list(folder, prefix),
    rename: async (from, to) => (await loaded()).rename(from, to),
    remove: async (path) => (await loaded()).remove(path),
    output: async (path) => (await loaded()).output(path),
    space: async (folder) => (await loaded()).space(folder),
    streamBytes: async (folder) => (await loaded()).streamBytes(folder),
  };
}

async function loadStorage(): Promise<Storage> {
  try {
    return (await import('@keysweep/external/s3')).s3Storage();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Failure(
      'addresses s3: need the client of S3 beside this command: npm install @aws-sdk/client-s3, ' +
        'with --global where the command is installed so',
      { cause: error },
    );
  }
}
