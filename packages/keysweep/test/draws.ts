/** What tests draw by the seed of the run. */

import { runSeed } from '@keysweep/conformance/data';
import { testRandom } from '../../../tools/test/random.js';

export const SEED = runSeed();
export const random = testRandom();
export const chance = (of: number): boolean => random.below(of) === 0;
export const oneOf = <T>(choices: readonly T[]): T => choices[random.below(choices.length)] as T;
