/** Files of this machine and of another storage, told apart by their names. */

import { ExternalError } from '../error.js';
import { shownAddress } from '../shown.js';
import { isAddress } from './address.js';
import { localStorage } from './local.js';
import type { Storage } from './storage.js';

/** Addresses name files of `remote`, paths name files of this machine. */
export function storageByName(remote: Storage | undefined): Storage {
  const at = (name: string): Storage => {
    if (!isAddress(name)) return localStorage;
    if (remote !== undefined) return remote;
    throw new ExternalError(
      `'${shownAddress(name)}' is an address, and this process was given no storage for it`,
    );
  };
  return {
    open: async (path) => at(path).open(path),
    write: async (path, from) => at(path).write(path, from),
    makeFolder: async (path) => at(path).makeFolder(path),
    list: async (folder, prefix) => at(folder).list(folder, prefix),
    rename: async (from, to) => at(from).rename(from, to),
    remove: async (path) => at(path).remove(path),
    output: async (path) => at(path).output(path),
    space: async (folder) => at(folder).space(folder),
    streamBytes: async (folder) => at(folder).streamBytes(folder),
  };
}
