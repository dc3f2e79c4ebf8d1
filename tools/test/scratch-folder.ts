/** A folder for every test of a file, in which every file has to be closed at the end. */

import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';

/** A fresh folder for every test of the file; call the result for a path in it. */
export function scratchFolder(): (name: string) => string {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'keysweep-test-'));
  });
  afterEach(async () => {
    try {
      // A stream that was ended closes its file in a turn of its own.
      const openings = (): number => maxOpenings(process.pid, folder);
      await expect.poll(openings, { message: 'files are closed', timeout: 5000 }).toBe(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
  return (name) => join(folder, name);
}

/** How often a process has opened one file in a folder, at most. */
export function maxOpenings(pid: number, folder: string): number {
  const counts = new Map<string, number>();
  // A process that has ended has none, and one that goes on may have closed some meanwhile.
  const unlessGone = <T>(read: () => T): T | undefined => {
    try {
      return read();
    } catch {
      return undefined;
    }
  };
  for (const fd of unlessGone(() => readdirSync(`/proc/${pid}/fd`)) ?? []) {
    const file = unlessGone(() => readlinkSync(`/proc/${pid}/fd/${fd}`)) ?? '';
    if (file.startsWith(folder)) counts.set(file, (counts.get(file) ?? 0) + 1);
  }
  return Math.max(0, ...counts.values());
}
