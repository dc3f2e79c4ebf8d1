/** Files of this machine and of another storage, told apart by their names. */

import { isAddress } from './address.js';
import { localStorage } from './local.js';
import type { Storage } from './storage.js';

/** Addresses are files of `remote`, paths those of this machine. */
export function storageByName(remote: Storage | undefined): Storage {
  if (remote === undefined) return localStorage;
  const at = (name: string): Storage => (isAddress(name) ? remote : localStorage);
  return {
    open: (path) => at(path).open(path),
    write: (path, from) => at(path).write(path, from),
    makeFolder: (path) => at(path).makeFolder(path),
    list: (folder, prefix) => at(folder).list(folder, prefix),
    rename: (from, to) => at(from).rename(from, to),
    remove: (path) => at(path).remove(path),
    output: (path) => at(path).output(path),
    space: (folder) => at(folder).space(folder),
    streamBytes: (folder) => at(folder).streamBytes(folder),
  };
}
