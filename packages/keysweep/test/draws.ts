/** What tests draw by the seed of the run. */

import { Random, runSeed } from '@keysweep/conformance/data';

export const SEED = runSeed();
export const random = new Random(SEED);
export const chance = (of: number): boolean => random.below(of) === 0;
export const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;
