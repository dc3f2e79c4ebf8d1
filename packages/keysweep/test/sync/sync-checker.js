/** A page's worker that runs the checks of keysweep/sync, and answers what failed. */

import { Random } from '@keysweep/conformance/data';
import { compareColumns, compareWithAsync } from './sync-checks.ts';

globalThis.onmessage = async ({ data: { seed, lengths } }) => {
  const failures = [];
  try {
    await compareWithAsync(lengths, new Random(seed));
    await compareColumns(lengths, new Random(seed));
  } catch (error) {
    failures.push(String(error));
  }
  globalThis.postMessage(failures);
};
