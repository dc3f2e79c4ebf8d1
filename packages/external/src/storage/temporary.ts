/**
 * Temporary files and folders. Their names say which process writes them. So a later run can tell
 * those that a killed process left behind: it removes them, or goes on with them.
 */

import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { unlink } from 'node:fs/promises';
import { hostname } from 'node:os';
import { isAddress, nameIn } from './address.js';
import { HeldFolder, hasDescriptorNames, isOfUser } from './held.js';
import { prefixOf, processOf, temporaryName } from './names.js';
import { removeFolder } from './private-folder.js';
import type { Storage } from './storage.js';

/** A new name in `folder`. */
export function temporaryIn(folder: string): string {
  const unique = randomUUID().slice(0, 8);
  return nameIn(folder, temporaryName(systemId(), process.pid, unique));
}

/** Whether `name` is one that a process of this system has ended without removing. */
export function isLeft(name: string): boolean {
  const pid = processOf(systemId(), name);
  return pid !== undefined && !isAlive(pid);
}

/**
 * Removes what ended processes of this user left in `folder`. What a living process has stays, and
 * so does what belongs to another system, whose processes cannot be seen from here.
 */
export async function removeLeftovers(folder: string, storage?: Storage): Promise<void> {
  if (isAddress(folder)) {
    if (storage !== undefined) await removeObjects(folder, storage);
    return;
  }
  for (const { held, name, isFolder } of leftIn(folder)) {
    const remove = isFolder ? removeFolder(held, name) : unlink(held.at(name));
    // Another process may tidy, too; and a folder with strange names in it stays.
    await remove.catch(() => {});
  }
}

/** What ended processes of this user left in a folder of this machine. The folder is open. */
export function* leftIn(folder: string): Generator<{
  readonly held: HeldFolder;
  readonly name: string;
  readonly isFolder: boolean;
}> {
  // A folder that may not be listed is not tidied.
  const held = attempt(() => new HeldFolder(folder), undefined);
  if (held === undefined) return;
  try {
    // By paths nothing is safe where others can exchange a folder for a link.
    if (!hasDescriptorNames && !held.isSteady) return;
    for (const name of attempt(() => readdirSync(held.access), []).filter(isLeft)) {
      const info = attempt(() => lstatSync(held.at(name)), undefined);
      // Users of a folder look at its mode. A file may have the mode of its output to be.
      if (info === undefined || !isOfUser(info)) continue;
      if (info.isDirectory() || info.isFile()) {
        yield { held, name, isFolder: info.isDirectory() };
      }
    }
  } finally {
    held.close();
  }
}

async function removeObjects(folder: string, storage: Storage): Promise<void> {
  const names = await storage.list(folder, prefixOf(systemId())).catch(() => []);
  for (const name of names.filter(isLeft)) {
    // What cannot be removed is another user's: theirs to remove.
    await storage.remove(nameIn(folder, name)).catch(() => {});
  }
}

/**
 * Tells apart systems in which a process has another number: machines, containers, and one machine
 * before and after it was started again.
 */
function systemId(): string {
  const parts = [
    hostname(),
    attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), ''),
    attempt(() => readlinkSync('/proc/self/ns/pid'), ''),
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 12);
}

/** The result of `read`, or another where the system has no such file. */
function attempt<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
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
