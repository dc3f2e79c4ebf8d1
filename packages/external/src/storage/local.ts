/** Files of this machine. */

import { constants } from 'node:fs';
import {
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { explained } from '../error.js';
import { BlockFile } from './block-file.js';
import { HeldFolder, hasDescriptorNames, isMissing, unlessMissing } from './held.js';
import { reach, temporaryAt } from './live.js';
import { isPastCache } from './names.js';
import type { Storage, StoredFile, StoredOutput, StoredStream } from './storage.js';
import { openTarget } from './target.js';

/** The files of this machine. */
export const localStorage: Storage = {
  open: (path) => explained(`cannot read '${path}'`, () => openFile(path)),
  write: (path, from) => explained(`cannot write '${path}'`, () => writeFile(path, from)),
  makeFolder: (path) =>
    explained(
      `cannot make the folder '${path}'`,
      async () => void (await mkdir(reach(path), { mode: 0o700 })),
    ),
  list: (folder, prefix = '') =>
    explained(`cannot list '${folder}'`, async () =>
      (await readdir(reach(folder))).filter((name) => name.startsWith(prefix)),
    ),
  rename: (from, to) => explained(`cannot rename '${from}'`, () => rename(reach(from), reach(to))),
  remove: (path) =>
    explained(`cannot remove '${path}'`, () => temporaryAt(path)?.remove() ?? remove(reach(path))),
  output: (path) => explained(`cannot write '${path}'`, () => openOutput(path)),
  async space(folder) {
    // Some systems do not say, and not every folder is there yet.
    const found = await Promise.all([statfs(folder), stat(folder)]).catch(() => undefined);
    if (found === undefined) return undefined;
    const [{ bavail, bsize }, { dev }] = found;
    return { free: bavail * bsize, device: dev };
  },
  streamBytes: () => Promise.resolve(0),
};

/** Of files that are no output: whatever they are made for, only this user reads them. */
const MODE = 0o600;

/** Windows has no such flag. */
const { O_NONBLOCK = 0, O_RDONLY } = constants;

async function openFile(path: string): Promise<StoredFile> {
  // Without O_NONBLOCK, the open of a named pipe would wait for a writer, and keep a thread.
  const handle = await open(reach(path), O_RDONLY | O_NONBLOCK);
  try {
    const info = await handle.stat();
    if (info.isDirectory()) throw new Error('it is a directory');
    if (!info.isFile()) throw new Error('it is no regular file; give it as a stream');
    // Files such as those in /proc are made when they are read, and say that they have no bytes.
    if (info.size === 0 && (await handle.read(new Uint8Array(1), 0, 1, 0)).bytesRead > 0) {
      throw new Error('the system does not tell its size; give it as a stream');
    }
    const file = new BlockFile(handle, 'read', isPastCache(path));
    return {
      size: info.size,
      version: `${info.ino}-${info.size}-${info.mtimeMs}`,
      read: (into, from) =>
        explained(`cannot read '${path}'`, async () => {
          if ((await file.move(into, from)) === into.length) return;
          throw new Error(
            `it has fewer than its ${info.size} bytes; was it shortened while it was read?`,
          );
        }),
      readNow: (into, from) => file.readNow(into, from),
      close: () => file.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function writeFile(path: string, from: number | undefined): Promise<StoredStream> {
  const handle = await open(reach(path), from === undefined ? 'wx' : 'r+', MODE);
  try {
    if (from !== undefined) {
      if ((await handle.stat()).size < from) throw new Error(`it has fewer than ${from} bytes`);
      await handle.truncate(from);
    }
    const file = new BlockFile(handle, 'write', isPastCache(path));
    let at = from ?? 0;
    return {
      write: (bytes) =>
        explained(`cannot write '${path}'`, async () => {
          const written = await file.move(bytes, at);
          at += written;
          if (written < bytes.length) throw new Error('the system stopped writing');
        }),
      close: () => file.close(),
      abort: () => file.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * Removes a file or a folder, without following a link, whatever is exchanged meanwhile. Several
 * processes may remove the same one at once, because each wants it to be gone.
 */
async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (isMissing(error)) return;
    const info = await lstat(path).catch(unlessMissing);
    if (info === undefined) return;
    if (!info.isDirectory()) throw error;
    await (hasDescriptorNames ? removeTree(path) : rm(path, { recursive: true, force: true }));
  }
}

async function removeTree(path: string): Promise<void> {
  const folder = folderAt(path);
  if (folder === undefined) return;
  try {
    const entries =
      (await readdir(folder.access, { withFileTypes: true }).catch(unlessMissing)) ?? [];
    for (const entry of entries) {
      const inside = folder.at(entry.name);
      await (entry.isDirectory() ? removeTree(inside) : unlink(inside).catch(unlessMissing));
    }
  } finally {
    folder.close();
  }
  await rmdir(path).catch(unlessMissing);
}

/** The open folder at `path`, which is no link; undefined if another process has removed it. */
function folderAt(path: string): HeldFolder | undefined {
  try {
    return new HeldFolder(path, true);
  } catch (error) {
    return unlessMissing(error);
  }
}

/** A regular file, which need not exist. The new file gets the mode of the old one. */
async function openOutput(given: string): Promise<StoredOutput> {
  const target = await openTarget(given);
  const named = <T>(work: () => Promise<T>): Promise<T> =>
    explained(`cannot write '${given}'`, work);
  return {
    path: target.path,
    folder: target.folder,
    create: (temporary) => named(() => target.create(temporary)),
    commit: (temporary) => named(() => target.commit(temporary)),
    identityOf: (temporary) => target.identityOf(temporary),
    adopt: (left, identity, bytes, temporary) => target.adopt(left, identity, bytes, temporary),
    close: () => target.close(),
  };
}
