/** What tests of output files look at. */

import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';

export const UNSORTED: Buffer = Buffer.from([3, 1, 2]);
export const SORTED: Buffer = Buffer.from([1, 2, 3]);

export const isRoot: boolean = process.getuid?.() === 0;

/** Helpers for outputs in a folder, of which `path` has the files. */
export const outputFiles = (path: (name: string) => string) => ({
  /**
   * The temporary files that are there, which only this user may read. An empty one with the mode
   * of new files comes before each, and goes at once: it tells what the umask leaves.
   */
  temporaries(): string[] {
    return readdirSync(path('')).filter((name) => {
      const mode = statSync(path(name), { throwIfNoEntry: false })?.mode ?? 0;
      return name.endsWith('.tmp') && (mode & 0o777) === 0o600;
    });
  },
  /**
   * A device to write to: null takes everything, full nothing. Root gets a device of its own,
   * because a command with a fault could replace the one in /dev.
   */
  device(name: 'null' | 'full'): string {
    if (!isRoot) return `/dev/${name}`;
    const made = spawnSync('mknod', [path(name), 'c', '1', name === 'null' ? '3' : '7']);
    if (made.status !== 0) throw new Error(`mknod: ${made.stderr}`);
    return path(name);
  },
});
