/**
 * Folders that stay the same ones, whoever renames them. Where another user may write, a name can
 * lead elsewhere from one call to the next, even into a folder of root's. So temporary files are
 * reached through descriptors, by the names that Linux gives those in /proc. Other systems have no
 * such names: paths are used there, and are only as safe as the folder that they lead to.
 */

import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { platform } from 'node:os';

/** Whether descriptors have names. A container may lack /proc. */
export const hasDescriptorNames: boolean = platform() === 'linux' && existsSync('/proc/self/fd');

/** Linux's flag for a descriptor that only stands for a place, and needs no right to read it. */
const O_PATH = 0x200000;

/** The name that a descriptor has in this process. */
export const descriptorName = (fd: number): string => `/proc/self/fd/${fd}`;

/** Whether a file or folder belongs to this user. Windows has neither users by number nor modes. */
export const isOfUser = ({ uid }: Stats): boolean =>
  process.geteuid === undefined || uid === process.geteuid();

/** Whether a file or folder belongs to this user, and no other may change it. */
export const isOwn = (info: Stats): boolean =>
  isOfUser(info) && (process.geteuid === undefined || (info.mode & 0o022) === 0);

/** An open folder. */
export class HeldFolder {
  /** How the system reaches it. */
  readonly access: string;
  /** undefined where descriptors have no names. */
  readonly fd: number | undefined;

  /** Opens the folder at `path`, which may be a link unless `isLinkRefused`. */
  constructor(path: string, isLinkRefused = false) {
    if (hasDescriptorNames) {
      const flags = O_PATH | constants.O_DIRECTORY | (isLinkRefused ? constants.O_NOFOLLOW : 0);
      this.fd = openSync(path, flags);
      this.access = descriptorName(this.fd);
      return;
    }
    this.access = isLinkRefused ? path : realpathSync(path);
    const info = isLinkRefused ? lstatSync(path) : statSync(path);
    if (info.isDirectory()) return;
    throw Object.assign(new Error('not a directory (ENOTDIR)'), { code: 'ENOTDIR' });
  }

  stats(): Stats {
    return this.fd === undefined ? lstatSync(this.access) : fstatSync(this.fd);
  }

  /** Reaches the entry `name` of the folder. */
  at(name: string): string {
    return `${this.access}/${name}`;
  }

  /** Whether a name in it stays with its file, unless this user or root renames that. */
  get isSteady(): boolean {
    const user = process.geteuid?.();
    const { uid, mode } = this.stats();
    if (user === undefined) return true;
    return [0, user].includes(uid) && ((mode & 0o022) === 0 || (mode & 0o1000) !== 0);
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
  }
}

export const isMissing = (error: unknown): boolean =>
  (error as NodeJS.ErrnoException).code === 'ENOENT';

export function unlessMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
