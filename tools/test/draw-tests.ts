/**
 * Which tests of a file `npm test` leaves to its next runs, so that it is short: all of them are
 * tried in a few runs, because the seed draws. Files that are named, watched, or tried on faults
 * are run in full. Whole files are drawn, too: see ../drawn-files.ts.
 */

import { environment, isThorough, NOT_DRAWN, runSeed, sample } from '@keysweep/conformance/data';
import { beforeEach, type RunnerTask } from 'vitest';

const isBrief = !isThorough && environment().KEYSWEEP_BRIEF === '1';

/** Far from seeds by which files draw, so that all that they draw is drawn here in some run. */
const APART = 1000;

/** Of cases that come past the same code, and take seconds: all, or in `npm test` some. */
export const fewer = <T>(cases: readonly T[], count: number, seed = runSeed()): readonly T[] =>
  isBrief ? sample(cases, count, seed + APART) : cases;

const testsOf = (task: RunnerTask): RunnerTask[] =>
  task.type === 'suite' ? task.tasks.flatMap(testsOf) : [task];

/**
 * Has `npm test` skip all but `share` of the calling file's tests, which come past much of the same
 * code, and those of which `isAlways` says that nothing else does. Stands above other hooks.
 */
export function drawTests(
  share: number,
  isAlways: (test: RunnerTask) => boolean = () => false,
): void {
  if (!isBrief) return;
  let drawn: readonly RunnerTask[] | undefined;
  beforeEach(({ skip, task }) => {
    if (drawn === undefined) {
      const tests = task.file.tasks.flatMap(testsOf);
      drawn = sample(tests, Math.ceil(share * tests.length), runSeed() + APART);
    }
    skip(!drawn.includes(task) && !isAlways(task), NOT_DRAWN);
  });
}
