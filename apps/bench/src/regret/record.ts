/** Records of what the dispatcher's choices cost: as those of `npm run bench`, with the profile that was made. */

import { writeFileSync } from 'node:fs';
import type { Profile } from 'keysweep';
import { describeMachine, formatRecord, type Machine } from '../record/record.js';
import type { RegretResult } from './measure.js';

export interface RegretRecord {
  readonly date: string;
  readonly version: string;
  readonly seed: number;
  readonly machine: Machine;
  readonly profile: Profile;
  readonly results: readonly RegretResult[];
}

/** Writes what there is so far, after each result: a run that is stopped leaves what it has. */
export function recorder(
  path: string | undefined,
  version: string,
  seed: number,
): (result: RegretResult, profile: Profile) => void {
  const results: RegretResult[] = [];
  const head = { date: new Date().toISOString(), version, seed, machine: describeMachine() };
  return (result, profile) => {
    results.push(result);
    const record: RegretRecord = { ...head, profile, results };
    if (path !== undefined) writeFileSync(path, formatRecord(record));
  };
}
