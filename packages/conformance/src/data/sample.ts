/**
 * How much of a test is run. `npm run test:thorough` tries every combination; `npm test` tries some of
 * them, others in each run.
 */

import { Random } from '@keysweep/core/random';
import { environment, runSeed } from './seed.js';

/** Whether this run tries everything: `npm run test:thorough` sets KEYSWEEP_THOROUGH to 1. */
export const isThorough: boolean = environment().KEYSWEEP_THOROUGH === '1';

/**
 * All of `items` in a thorough run, else `count` of them in their order, drawn by `seed`. Prints the seed
 * where it leaves some out: with KEYSWEEP_SEED the same ones are drawn again.
 */
export function sample<T>(items: readonly T[], count: number, seed: number = runSeed()): T[] {
  if (isThorough || count >= items.length) return [...items];
  const random = new Random(seed);
  const places = items.map((_, i) => i);
  for (let i = 0; i < count; i++) {
    const other = i + random.below(places.length - i);
    [places[i], places[other]] = [places[other] as number, places[i] as number];
  }
  console.log(`${count} of ${items.length} combinations drawn by seed ${seed}`);
  return places
    .slice(0, count)
    .sort((a, b) => a - b)
    .map((place) => items[place] as T);
}
