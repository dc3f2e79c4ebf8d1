/** The keys that are drawn for a run. */

import { makeKeys, type Random } from '@keysweep/conformance/data';
import type { KeyArray } from 'keysweep';
import { COLUMN, type Settings } from '../settings/settings.js';

/** Keys as `settings` say. For a column of a file they are random ones, to start what sorts it. */
export function keysFor(
  { keyType, distribution, words }: Settings,
  length: number,
  random: Random,
): KeyArray {
  const drawn = distribution === COLUMN ? 'random' : distribution;
  return makeKeys(keyType, length, drawn, random, words);
}
