/**
 * How much of a test is run. `npm run test:thorough` tries every combination. `npm test` tries some
 * of them, others in each run.
 */

import { Random } from '@keysweep/core/random';
import { environment, runSeed } from './seed.js';

/** Whether this run tries everything: `npm run test:thorough` sets KEYSWEEP_THOROUGH to 1. */
export const isThorough: boolean = environment().KEYSWEEP_THOROUGH === '1';

/** `count` of `items`, or all if there are fewer, drawn at random; in their order. */
export function draw<T>(items: readonly T[], count: number, random: Random): T[] {
  const places = items.map((_, i) => i);
  const drawn = Math.min(count, items.length);
  for (let i = 0; i < drawn; i++) {
    const other = i + random.below(places.length - i);
    [places[i], places[other]] = [places[other] as number, places[i] as number];
  }
  return places
    .slice(0, drawn)
    .sort((a, b) => a - b)
    .map((place) => items[place] as T);
}

/** Why a quick run skips a test, for the list of skipped tests at its end. */
export const THOROUGH_ONLY = 'only npm run test:thorough runs it';
export const NOT_DRAWN = 'not drawn in this run';

/**
 * All of `items` in a thorough run, else `count` of them in their order, drawn by `seed`. Prints
 * the seed where it leaves some out: with KEYSWEEP_SEED the same ones are drawn again.
 *
 * ```ts
 * it.each(sample(COMBINATIONS, 20))('sorts %s', …);
 * ```
 */
export function sample<T>(items: readonly T[], count: number, seed: number = runSeed()): T[] {
  if (isThorough || count >= items.length) return [...items];
  console.log(`${count} of ${items.length} combinations drawn by seed ${seed}`);
  return draw(items, count, new Random(seed));
}
