/**
 * The temporary folder of a sort: of this user, who alone may change it. It is reached through its
 * descriptor, and nothing but the names that a sort makes is ever removed from it: another user,
 * who may rename it, or call a folder of this user so, can have nothing else removed.
 */

import { lstatSync, mkdirSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs';
import { rmdir, unlink } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { allDone } from '../all-done.js';
import { ExternalError, explained } from '../error.js';
import { HeldFolder, hasDescriptorNames, isOwn } from './held.js';
import { forget, keep, keepName, type Temporary } from './live.js';
import { isFileName, isPartName, isPartsName } from './names.js';

/** Others could change files in a folder that was to be private. */
export class NotPrivate extends ExternalError {}

/** Makes the folder `path`, for this user alone. @throws NotPrivate; ExternalError */
export async function makePrivateFolder(path: string): Promise<void> {
  await explained(`cannot make the folder '${path}'`, () => new PrivateFolder(path).make());
}

/**
 * Takes the folder `name` of another process, in the open folder `held`, as `path` in the same one.
 * @throws the system's error, where another process has just taken or removed it
 */
export function adoptPrivateFolder(held: HeldFolder, name: string, path: string): void {
  new PrivateFolder(path).adopt(held.at(name));
}

class PrivateFolder implements Temporary {
  readonly #path: string;
  readonly #name: string;
  readonly #parent: HeldFolder;
  #folder: HeldFolder | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#name = basename(path);
    this.#parent = new HeldFolder(dirname(path));
    keep(path, this);
  }

  get access(): string {
    return this.#folder?.access ?? this.#path;
  }

  get fd(): number | undefined {
    return this.#folder?.fd;
  }

  make(): void {
    // By paths nothing is safe where others can exchange the folder for a link.
    if (!hasDescriptorNames && !this.#parent.isSteady) {
      this.#end();
      throw this.#notPrivate();
    }
    this.#begin(() => mkdirSync(this.#parent.at(this.#name), { mode: 0o700 }));
    const info = (this.#folder as HeldFolder).stats();
    if (isOwn(info) && readdirSync(this.access).length === 0) return;
    // An empty folder is all that this removes, whoever made it.
    quietly(() => rmdirSync(this.#parent.at(this.#name)));
    this.#end();
    throw this.#notPrivate();
  }

  #notPrivate(): NotPrivate {
    return new NotPrivate(
      `cannot make the private folder '${this.#path}': others could change what is in it, ` +
        'because its file system keeps no owners or modes, or another user may exchange it; ' +
        'name another folder for temporary files',
    );
  }

  adopt(left: string): void {
    this.#begin(() => renameSync(left, this.#parent.at(this.#name)));
    if (isOwn((this.#folder as HeldFolder).stats())) return;
    this.#end();
    throw new NotPrivate(`another user has exchanged the folder '${this.#path}'`);
  }

  /** Has `come` put the folder in its place, and opens it. */
  #begin(come: () => void): void {
    try {
      come();
      this.#folder = new HeldFolder(this.#parent.at(this.#name), true);
      keepName(this.#path, this.#folder.access);
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async remove(): Promise<void> {
    try {
      if (this.#folder !== undefined) await removeContents(this.#folder.access);
      await rmdir(this.#parent.at(this.#name)).catch((error) => {
        // What another user has given its name is not this one's to remove.
        if (this.#isAtItsName()) throw error;
      });
    } finally {
      this.#end();
    }
  }

  #isAtItsName(): boolean {
    const there = lstatSync(this.#parent.at(this.#name), { throwIfNoEntry: false });
    const own = this.#folder?.stats();
    return there !== undefined && there.ino === own?.ino && there.dev === own.dev;
  }

  removeNow(): void {
    if (this.#folder !== undefined) {
      const { files, folders } = contentsOf(this.#folder.access);
      // A child process may be making its last file, and another thread its own.
      for (const file of files) quietly(() => unlinkSync(file));
      for (const folder of folders) quietly(() => rmdirSync(folder));
    }
    quietly(() => rmdirSync(this.#parent.at(this.#name)));
  }

  #end(): void {
    forget(this.#path);
    this.#folder?.close();
    this.#parent.close();
  }
}

/** Removes the temporary folder `name` of an ended process, if it is this user's. */
export async function removeFolder(held: HeldFolder, name: string): Promise<void> {
  const folder = new HeldFolder(held.at(name), true);
  try {
    if (!isOwn(folder.stats())) return;
    await removeContents(folder.access);
    await rmdir(held.at(name));
  } finally {
    folder.close();
  }
}

async function removeContents(access: string): Promise<void> {
  const { files, folders } = contentsOf(access);
  await allDone(files.map((file) => unlink(file).catch(unlessTaken)));
  await allDone(folders.map((folder) => rmdir(folder).catch(unlessTaken)));
}

/** The files of a sort in its folder, and the folders that they are in. No link is followed. */
function contentsOf(access: string): { files: string[]; folders: string[] } {
  const files: string[] = [];
  const folders: string[] = [];
  for (const entry of readdirSync(access, { withFileTypes: true })) {
    const path = `${access}/${entry.name}`;
    if (entry.isFile() && isFileName(entry.name)) files.push(path);
    if (!entry.isDirectory() || !isPartsName(entry.name)) continue;
    folders.push(path);
    for (const part of readdirSync(path, { withFileTypes: true })) {
      if (part.isFile() && isPartName(part.name)) files.push(`${path}/${part.name}`);
    }
  }
  return { files, folders };
}

/** If it is gone, or something else has taken its name, there is nothing to remove. */
function unlessTaken(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // The process ends. The next sort removes the files that are left.
  }
}
