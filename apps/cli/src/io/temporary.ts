/**
 * Temporary files beside an output. Their names say which process writes them. So a later run can
 * tell those that a killed process left behind, and removes them.
 */

import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** A new name in `folder`. */
export function temporaryIn(folder: string): string {
  const unique = randomUUID().slice(0, 8);
  return join(folder, `.keysweep-${systemId()}-${process.pid}-${unique}.tmp`);
}

/**
 * Removes what ended processes left in `folder`. A file of a process that lives stays, and so does
 * one of another system, whose processes cannot be seen from here.
 */
export async function removeLeftovers(folder: string): Promise<void> {
  const name = new RegExp(`^\\.keysweep-${systemId()}-(\\d+)-[0-9a-f]{8}\\.tmp$`);
  // A folder that may not be listed is not tidied.
  const files = await readdir(folder).catch(() => []);
  for (const file of files) {
    const [, pid] = name.exec(file) ?? [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(folder, file), { force: true });
    } catch {
      // It is another user's: theirs to remove.
    }
  }
}

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
