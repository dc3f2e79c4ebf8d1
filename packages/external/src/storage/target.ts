/** A regular file that is written as a new one, which takes its place when it is whole. */

import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs';
import { access, rename, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { ExternalError } from '../error.js';
import { descriptorName, HeldFolder, hasDescriptorNames, isOwn, unlessMissing } from './held.js';
import { forget, keep, keepName, type Temporary } from './live.js';
import type { StoredOutput } from './storage.js';
import { isLeft, temporaryIn } from './temporary.js';

/** Links that lead on to each other, at most: as Linux has it. */
const MAX_LINKS = 40;

/** Where a file is to be written, after links. `close` gives back what it holds. */
export class Target implements StoredOutput {
  /** The file that a new one replaces. */
  readonly existing: Stats | undefined;
  readonly folder: string;
  readonly #held: HeldFolder;
  readonly #name: string;
  readonly #files = new Map<string, TemporaryFile>();

  /** @throws the system's error; Error for a link that must not be followed */
  constructor(given: string) {
    let path = given;
    let held = new HeldFolder(dirname(path));
    try {
      let isFolderName = false;
      for (let links = 0; ; links++) {
        isFolderName ||= path.endsWith('/') || path.endsWith(sep);
        this.existing = lstatIfThere(held.at(basename(path)));
        if (!this.existing?.isSymbolicLink() || links === MAX_LINKS) break;
        const target = followed(held, basename(path), this.existing);
        path = isAbsolute(target) ? target : `${held.access}/${target}`;
        const next = new HeldFolder(dirname(path));
        held.close();
        held = next;
      }
      if (this.existing !== undefined) assertNotPlanted(held, this.existing);
      // `basename` drops the separator, and with it that a folder was meant.
      if (isFolderName && !this.existing?.isDirectory()) {
        throw new Error("a name that ends with '/' is a folder's, and this is to be a file");
      }
      this.#held = held;
      this.#name = basename(path);
      this.folder = realpathSync(held.access);
    } catch (error) {
      held.close();
      throw error;
    }
  }

  get path(): string {
    return join(this.folder, this.#name);
  }

  /** @throws if no new file must take the place of the present one, or none can be made */
  async assertReplaceable(): Promise<void> {
    const { existing } = this;
    if (existing === undefined) return access(this.#held.access, constants.W_OK);
    if (existing.isDirectory()) {
      throw new ExternalError(`cannot write '${this.path}': it is a directory`);
    }
    if (!existing.isFile()) throw new Error('it is no regular file; give it as a sink');
    // Renaming would replace a read-only file without asking, and take one of several links away.
    await access(this.#held.at(this.#name), constants.W_OK);
    if (existing.nlink > 1) {
      throw new Error(
        `it has ${existing.nlink} hard links, and a new file would take this one from the ` +
          'others; write to another name, or remove this link first',
      );
    }
  }

  async create(temporary: string): Promise<void> {
    this.createNow(temporary);
  }

  /** Makes the temporary file at once; `commit` and `remove` close the descriptor. */
  createNow(temporary: string): number {
    const file = new TemporaryFile(this.#held, temporary, () => this.#files.delete(temporary));
    this.#files.set(temporary, file);
    return file.begin(this.#mode);
  }

  /**
   * The mode of the file that is replaced, or the usual one. The right to run as its owner or group
   * is left out if another user has set it, because the owner may be this user from now on, and the
   * contents the other's.
   */
  get #mode(): number {
    if (this.existing === undefined) return modeOfNewFiles(this.#held);
    const { uid, mode } = this.existing;
    return uid === process.geteuid?.() ? mode : mode & 0o777;
  }

  /** What tells the temporary file from another that takes its name. */
  identityOf(temporary: string): string {
    return identityOf(fstatSync((this.#files.get(temporary) as TemporaryFile).descriptor));
  }

  /**
   * Takes a temporary file that an ended process left beside the output, if it is the one that has
   * this `identity`, with `bytes` or more. Returns whether it was.
   */
  adopt(left: string, identity: string, bytes: number, temporary: string): boolean {
    if (!isLeft(left)) return false;
    const file = new TemporaryFile(this.#held, temporary, () => this.#files.delete(temporary));
    this.#files.set(temporary, file);
    return file.adopt(left, identity, bytes, this.#mode);
  }

  async commit(temporary: string): Promise<void> {
    await (this.#files.get(temporary) as TemporaryFile).become(this.#name, this.existing);
  }

  /** Gives up the temporary file, unless it is the output already. */
  async remove(temporary: string): Promise<void> {
    await this.#files.get(temporary)?.remove();
  }

  async close(): Promise<void> {
    this.#held.close();
  }
}

/** What an output of this machine is to be. @throws ExternalError, the system's error */
export async function openTarget(given: string): Promise<Target> {
  const target = new Target(given);
  try {
    await target.assertReplaceable();
  } catch (error) {
    await target.close();
    throw error;
  }
  return target;
}

const identityOf = ({ dev, ino }: Stats): string => `${dev}-${ino}`;

/** A file beside the output, which only this user may read until it is the output. */
class TemporaryFile implements Temporary {
  readonly #folder: HeldFolder;
  readonly #path: string;
  readonly #name: string;
  readonly #ended: () => void;
  #fd: number | undefined;
  #mode = 0o600;

  constructor(folder: HeldFolder, path: string, ended: () => void) {
    this.#folder = folder;
    this.#path = path;
    this.#name = basename(path);
    this.#ended = ended;
    // Before there is one: a signal may come in between.
    keep(path, this);
  }

  get descriptor(): number {
    return this.#fd as number;
  }

  get fd(): number | undefined {
    return hasDescriptorNames ? this.#fd : undefined;
  }

  get access(): string {
    return this.fd === undefined ? this.#path : descriptorName(this.fd);
  }

  begin(mode: number): number {
    try {
      // 'wx' follows no link, and opens nothing that is there.
      this.#fd = openSync(this.#folder.at(this.#name), 'wx+', 0o600);
    } catch (error) {
      this.#end();
      throw error;
    }
    this.#mode = mode;
    keepName(this.#path, this.access);
    return this.#fd;
  }

  adopt(left: string, identity: string, bytes: number, mode: number): boolean {
    const { O_RDWR, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    try {
      this.#fd = openSync(this.#folder.at(left), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
      const info = fstatSync(this.#fd);
      const isIt = info.isFile() && info.nlink === 1 && isOwn(info) && info.size >= bytes;
      if (isIt && identityOf(info) === identity) {
        renameSync(this.#folder.at(left), this.#folder.at(this.#name));
        this.#mode = mode;
        keepName(this.#path, this.access);
        return true;
      }
    } catch {
      // Another sort has tidied it, or goes on with it.
    }
    this.#end();
    return false;
  }

  /** Makes the whole file the output `name`. */
  async become(name: string, existing: Stats | undefined): Promise<void> {
    const fd = this.descriptor;
    // This may take long. A process that is killed meanwhile leaves a file of this user alone.
    await promisify(fsync)(fd);
    const own = this.#folder.at(this.#name);
    const there = lstatIfThere(own);
    if (there === undefined || identityOf(there) !== identityOf(fstatSync(fd))) {
      throw new Error(`its temporary file '${this.#path}' was removed or replaced meanwhile`);
    }
    // Changing the owner clears bits of the mode, so it comes first.
    const hasGroup = existing === undefined || takesOwner(fd, existing);
    fchmodSync(fd, this.#mode & (hasGroup ? 0o7777 : 0o5707));
    // Some systems rename no file that is open.
    if (!hasDescriptorNames) this.#close();
    await rename(own, this.#folder.at(name));
    this.#end();
  }

  async remove(): Promise<void> {
    try {
      await unlink(this.#folder.at(this.#name)).catch(unlessMissing);
    } finally {
      this.#end();
    }
  }

  removeNow(): void {
    unlinkSync(this.#folder.at(this.#name));
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #end(): void {
    forget(this.#path);
    this.#ended();
    this.#close();
  }
}

/** What the link `name` leads to. */
function followed(folder: HeldFolder, name: string, link: Stats): string {
  // The system may refuse it for reasons of its own, and says so when it follows it.
  statIfThere(folder.at(name));
  assertNotPlanted(folder, link);
  return readlinkSync(folder.at(name));
}

/**
 * In a sticky folder that everybody may write to, another user can have a link, a file or a pipe
 * wait for an output: it would lead elsewhere, or make the output that user's. So only those of
 * this user and of the folder's owner are taken, as Linux does where fs.protected_symlinks,
 * fs.protected_regular and fs.protected_fifos are set.
 */
function assertNotPlanted(folder: HeldFolder, there: Stats): void {
  const user = process.geteuid?.();
  const { mode, uid: owner } = folder.stats();
  const { uid } = there;
  const isForAll = (mode & 0o1002) === 0o1002 && !there.isDirectory();
  if (user !== undefined && isForAll && uid !== user && uid !== owner) {
    throw new Error(
      there.isSymbolicLink()
        ? `it is a link of user ${uid} in a folder that everybody may write to; ` +
            'name the file itself'
        : `it belongs to user ${uid}, in a folder that everybody may write to; remove it first, ` +
            'or write to another name',
    );
  }
}

/**
 * Gives a file the owner and the group of the one that it replaces: as root both, as another user a
 * group of that user's. Returns whether it has the group.
 */
function takesOwner(fd: number, { uid, gid }: Stats): boolean {
  const user = process.geteuid?.();
  if (user === 0) fchownSync(fd, uid, gid);
  if (user === undefined || fstatSync(fd).gid === gid) return true;
  try {
    fchownSync(fd, -1, gid);
    return true;
  } catch {
    // The user is not in that group, whose rights are not for the user's own.
    return false;
  }
}

/**
 * The mode of a file that is made in `folder` without one of its own: the umask and the folder's
 * access control list decide. Found by a file that is removed at once.
 */
function modeOfNewFiles(folder: HeldFolder): number {
  const path = folder.at(basename(temporaryIn('.')));
  const fd = openSync(path, 'wx', 0o666);
  try {
    return fstatSync(fd).mode & 0o777;
  } finally {
    closeSync(fd);
    unlinkSync(path);
  }
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    return unlessMissing(error);
  }
}

const lstatIfThere = (path: string): Stats | undefined =>
  lstatSync(path, { throwIfNoEntry: false });
