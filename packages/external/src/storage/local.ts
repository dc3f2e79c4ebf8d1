/** Files of this machine. */

import type { Stats } from 'node:fs';
import { constants } from 'node:fs';
import {
  access,
  chmod,
  chown,
  mkdir,
  open,
  readdir,
  readlink,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ExternalError, explained } from '../error.js';
import { BlockFile, isPastCache } from './block-file.js';
import type { Storage, StoredFile, StoredOutput, StoredStream } from './storage.js';

/** The files of this machine. */
export const localStorage: Storage = {
  open: (path) => explained(`cannot read '${path}'`, () => openFile(path)),
  write: (path, from) => explained(`cannot write '${path}'`, () => writeFile(path, from)),
  makeFolder: (path) =>
    explained(
      `cannot make the folder '${path}'`,
      async () => void (await mkdir(path, { mode: 0o700 })),
    ),
  list: (folder, prefix = '') =>
    explained(`cannot list '${folder}'`, async () =>
      (await readdir(folder)).filter((name) => name.startsWith(prefix)),
    ),
  rename: (from, to) => explained(`cannot rename '${from}'`, () => rename(from, to)),
  remove: (path) => explained(`cannot remove '${path}'`, () => remove(path)),
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

async function openFile(path: string): Promise<StoredFile> {
  const handle = await open(path, 'r');
  try {
    const info = await handle.stat();
    if (info.isDirectory()) throw new Error('it is a directory');
    if (!info.isFile()) throw new Error('it is no regular file; give it as a stream');
    const file = new BlockFile(handle, 'read', isPastCache(path));
    return {
      size: info.size,
      version: `${info.ino}-${info.mtimeMs}`,
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
  const handle = await open(path, from === undefined ? 'wx' : 'r+');
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

/** Most are files, which takes one step. */
async function remove(path: string): Promise<void> {
  await unlink(path).catch(() => rm(path, { recursive: true, force: true }));
}

/** A regular file, which need not exist. The new file gets the mode of the old one. */
async function openOutput(given: string): Promise<StoredOutput> {
  const path = await followLinks(given);
  const folder = dirname(path);
  const existing = await statIfThere(path);
  if (existing === undefined) await access(folder, constants.W_OK);
  else await assertReplaceable(path, existing);
  return {
    path,
    folder,
    create: (temporary) =>
      explained(`cannot write '${given}'`, async () => {
        const handle = await open(temporary, 'wx', existing === undefined ? 0o666 : 0o600);
        await handle.close();
      }),
    commit: (temporary) =>
      explained(`cannot write '${given}'`, async () => {
        if (existing !== undefined) await takeOver(temporary, existing);
        const handle = await open(temporary, 'r+');
        await handle.sync().finally(() => handle.close());
        await rename(temporary, path);
      }),
  };
}

/** The path that `path` stands for after symbolic links; its file need not exist. */
export async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // Either nothing is there, or a link to a file that does not exist yet.
  try {
    return await followLinks(resolve(dirname(path), await readlink(path)));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return resolve(path);
  }
}

/** What is at `path`, after symbolic links; undefined where nothing is. */
export async function statIfThere(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** @throws Error where a new file must not take the place of `existing` */
export async function assertReplaceable(path: string, existing: Stats): Promise<void> {
  if (existing.isDirectory()) throw new ExternalError(`cannot write '${path}': it is a directory`);
  if (!existing.isFile()) throw new Error('it is no regular file; give it as a sink');
  // Renaming would replace a read-only file without asking, and take one of several links away.
  await access(path, constants.W_OK);
  if (existing.nlink > 1) {
    throw new Error(
      `it has ${existing.nlink} hard links, and a new file would take this one from the ` +
        'others; write to another name, or remove this link first',
    );
  }
}

/** Gives the file at `path` the mode of an old one, and as root its owner. */
export async function takeOver(path: string, { uid, gid, mode }: Stats): Promise<void> {
  // Only root may change the owner. That clears bits of the mode, so it comes first.
  if (process.getuid?.() === 0) await chown(path, uid, gid);
  await chmod(path, mode & 0o7777);
}
