/**
 * What a worker may read and write: what lies in its roots, however a job names it. Jobs come from
 * the store, and whoever can write to the store can name any file.
 */

import { lstat, readlink, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { ExternalError } from '@keysweep/external';
import { explained } from '@keysweep/external/internal';
import { isAddress, type Storage, shownAddress } from '@keysweep/external/storage';
import { Refused } from '../jobs/refused.js';

/** Links that a path may lead through, as many as Linux follows. */
const MAX_LINKS = 40;

/** Folders of this machine, after their links, and the beginnings of objects' names. */
export class Roots {
  readonly #folders: readonly string[];
  readonly #addresses: readonly string[];
  /** As they were given, for messages. */
  readonly #shown: string;

  private constructor(given: readonly string[], folders: readonly string[]) {
    this.#folders = folders;
    this.#addresses = given.filter(isAddress).map((one) => one.replace(/\/+$/, ''));
    this.#shown = given
      .map((one) => (isAddress(one) ? shownAddress(one) : resolve(one)))
      .map((one) => `'${one}'`)
      .join(', ');
  }

  /** @throws ExternalError if one of them is no folder that is there */
  static async of(given: readonly string[]): Promise<Roots> {
    const folders: string[] = [];
    for (const root of given) {
      if (isAddress(root)) {
        if (!isPlain(root)) {
          throw new ExternalError(
            `the root '${shownAddress(root)}' must be an address such as 's3://bucket/prefix'`,
          );
        }
        continue;
      }
      const folder = await explained(`cannot use the root '${root}'`, () => realpath(root));
      if (!(await stat(folder)).isDirectory()) {
        throw new ExternalError(`the root '${root}' must be a folder`);
      }
      folders.push(folder);
    }
    return new Roots(given, folders);
  }

  /**
   * The file that `name` leads to, after all links. It need not be there.
   * @throws Refused if that lies in no root
   */
  async fileOf(name: string): Promise<string> {
    if (isAddress(name)) return this.#address(name);
    return this.#within(name, await realOf(absolute(name)));
  }

  /** The entry of a folder that `name` is, which may be a link: that's what a removal takes. */
  async entryOf(name: string): Promise<string> {
    if (isAddress(name)) return this.#address(name);
    const path = absolute(name);
    return this.#within(name, join(await realOf(dirname(path)), basename(path)));
  }

  #within(name: string, path: string): string {
    if (this.#folders.some((root) => isUnder(root, path))) return path;
    throw this.#refusal(name);
  }

  /** Objects have no links, so the name decides. */
  #address(name: string): string {
    const isInside = this.#addresses.some((root) => name.startsWith(`${root}/`));
    if (isInside && isPlain(name)) return name;
    throw this.#refusal(name);
  }

  #refusal(name: string): Refused {
    return new Refused(
      `'${shownAddress(name)}' is refused: it lies outside of this worker's roots, ${this.#shown}`,
    );
  }
}

/**
 * The storage that a worker's jobs get: every name is checked each time when it is used. A file of
 * this machine is then used by its real path, so links that are changed later change nothing.
 */
export function confined(storage: Storage, roots: Roots): Storage {
  return {
    open: async (path) => storage.open(await roots.fileOf(path)),
    write: async (path, from) => storage.write(await roots.fileOf(path), from),
    makeFolder: async (path) => storage.makeFolder(await roots.fileOf(path)),
    list: async (folder, prefix) => storage.list(await roots.fileOf(folder), prefix),
    rename: async (from, to) => storage.rename(await roots.entryOf(from), await roots.entryOf(to)),
    remove: async (path) => storage.remove(await roots.entryOf(path)),
    output: async (path) => storage.output(await roots.fileOf(path)),
    space: async (folder) => storage.space(await roots.fileOf(folder)),
    streamBytes: async (folder) => storage.streamBytes(await roots.fileOf(folder)),
  };
}

/** `..` and the like are resolved. @throws Refused for a relative path */
function absolute(name: string): string {
  // A worker's own folder is nothing that a job can know.
  if (isAbsolute(name) && !name.includes('\0')) return resolve(name);
  throw new Refused(`'${name}' is refused: it must be an absolute path`);
}

/** Whether `path` is something in the folder `root`, and not the folder itself. */
function isUnder(root: string, path: string): boolean {
  const within = relative(root, path);
  return within !== '' && within !== '..' && !within.startsWith(`..${sep}`) && !isAbsolute(within);
}

/** The real path of as much of `path` as exists, and the rest of it. */
async function realOf(path: string, links = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      return explained(`cannot look up '${path}'`, () => Promise.reject(error));
    }
    if (links === MAX_LINKS) throw new Refused(`'${path}' is refused: it has too many links`);
  }
  const folder = await realOf(dirname(path), links + 1);
  const real = join(folder, basename(path));
  // A link whose target isn't there yet is followed by whoever makes a file of its name.
  const isLink = (await lstat(real).catch(() => undefined))?.isSymbolicLink() ?? false;
  return isLink ? realOf(resolve(folder, await readlink(real)), links + 1) : real;
}

/**
 * Whether an address has a place and a key with no part that a store could resolve, as those that
 * keep objects in folders may.
 */
const isPlain = (address: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\/[^/\\]+(\/|$)/i.test(address) &&
  !/\p{Cc}/u.test(address) &&
  address
    .replace(/^[^:]+:\/\//, '')
    .replace(/\/$/, '')
    .split(/[\\/]/)
    .every((part) => part !== '' && part !== '.' && part !== '..');
