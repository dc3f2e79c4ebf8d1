/** `keysweep check`: is a file sorted, and which records does it hold, in whatever order? */

import { checkFile } from '@keysweep/external';
import type { CheckCommand } from '../arguments/command.js';
import { Failure } from '../failure.js';
import { remoteStorage } from '../io/addresses.js';
import { print } from '../io/output.js';
import { formatCount, layOut } from '../text/format.js';

/** Carries out `command`. @throws Failure where the file is not sorted or cannot be read */
export async function runCheck({ path, layout, order, sum }: CheckCommand): Promise<void> {
  const { records, misplaced, repeats, checksum } = await checkFile(path, {
    ...layout,
    order,
    storage: remoteStorage(),
  });
  if (sum) {
    const rows = [
      ['records', `${records}`],
      ['checksum', checksum.toString(16)],
      ['repeated keys', `${repeats}`],
    ];
    await print(`${layOut(rows).join('\n')}\n`);
  }
  if (misplaced === -1) return;
  throw new Failure(
    `'${path}' is not sorted: record ${formatCount(misplaced)} belongs before record ` +
      `${formatCount(misplaced - 1)} (the first record is 0)`,
  );
}
