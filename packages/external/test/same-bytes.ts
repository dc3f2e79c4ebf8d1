/** Compares outputs, which are too long for a message. */

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';

/**
 * Fails if the two differ, says from which byte on, and keeps both, so that somebody can look at
 * them after the run.
 */
export function expectSame(found: Uint8Array, expected: Uint8Array, where: string): void {
  if (Buffer.compare(found, expected) === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'keysweep-differs-'));
  writeFileSync(join(folder, 'found'), found);
  writeFileSync(join(folder, 'expected'), expected);
  const at = expected.findIndex((byte, i) => byte !== found[i]);
  const from = at < 0 ? expected.length : at;
  const lengths = `${found.length} bytes in place of ${expected.length}`;
  expect.fail(`${where}: ${lengths}, which differ from byte ${from} on; kept in ${folder}`);
}
