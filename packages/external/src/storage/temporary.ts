/**
 * Temporary files and folders. Their names say which process writes them. So a later run can tell
 * those that a killed process left behind: it removes them, or goes on with them.
 */

import type { ChildProcess } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { nameIn } from './address.js';
import { localStorage } from './local.js';
import type { Storage } from './storage.js';

/** A new name in `folder`. */
export function temporaryIn(folder: string): string {
  const unique = randomUUID().slice(0, 8);
  return nameIn(folder, `${prefix()}${process.pid}-${unique}.tmp`);
}

/**
 * What ended processes left in `folder`. What belongs to a process that lives is not listed, nor is
 * what belongs to another system, whose processes cannot be seen from here.
 */
export async function leftoversIn(
  folder: string,
  storage: Storage = localStorage,
): Promise<string[]> {
  // A folder that may not be listed is not tidied.
  const start = prefix();
  const files = await storage.list(folder, start).catch(() => []);
  const left = files.filter((file) => {
    const [, pid] = /^(\d+)-[0-9a-f]{8}\.tmp$/.exec(file.slice(start.length)) ?? [];
    return pid !== undefined && !isAlive(Number(pid));
  });
  return left.map((file) => nameIn(folder, file));
}

/** Removes what ended processes left in `folder`. */
export async function removeLeftovers(
  folder: string,
  storage: Storage = localStorage,
): Promise<void> {
  for (const path of await leftoversIn(folder, storage)) {
    // What cannot be removed is another user's: theirs to remove.
    await storage.remove(path).catch(() => {});
  }
}

const live = new Set<string>();

/** Notes a temporary file or folder for `removeTemporaries`. Returns a function that forgets it. */
export function noteTemporary(path: string): () => void {
  live.add(path);
  return () => live.delete(path);
}

const children = new Set<ChildProcess>();

/** Notes a child process that writes temporary files. Returns a function that forgets it. */
export function noteProcess(child: ChildProcess): () => void {
  children.add(child);
  return () => children.delete(child);
}

/**
 * Removes the temporary files of all sorts of this process that are at work, and ends their child
 * processes, at once: for a handler of a signal that then ends the process.
 */
export function removeTemporaries(): void {
  for (const child of children) child.kill('SIGKILL');
  // A child may be making its last file.
  for (const path of live) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

/** What the names of temporary files of this system start with. */
const prefix = (): string => `.keysweep-${systemId()}-`;

/**
 * Tells apart systems in which a process has another number: machines, containers, and one machine
 * before and after it was started again.
 */
function systemId(): string {
  const parts = [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
    attempt(() => readlinkSync('/proc/self/ns/pid')),
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

/** The result of `read`, or '' where the system has no such file. */
function attempt(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
