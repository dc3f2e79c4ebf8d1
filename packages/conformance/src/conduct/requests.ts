/** Checks of requests that run at the same time, and of the progress that is reported. */

import type { Progress } from '@keysweep/core';
import { type Check, some } from '../check.js';
import { ARRAY_CLASSES, type ArrayClass } from '../data/arrays.js';
import { fillWithBits, randomKeys } from '../data/distributions.js';
import { serve, verifyAll } from '../request/verify.js';

const concurrencyCheck: Check = {
  name: 'serves several requests at once',
  async run(subject) {
    const { backend, random } = subject;
    const lengths = some(subject, subject.lengths, 2);
    const sizes = [10, 3000, 5, 2000, ...lengths, 100, ...lengths];
    await Promise.all(
      sizes.map((length, i) => {
        const arrayClass = ARRAY_CLASSES[i % ARRAY_CLASSES.length] as ArrayClass;
        const keys = arrayClass.create(length);
        fillWithBits(keys, random);
        return verifyAll(backend, keys, [randomKeys(length, random)]);
      }),
    );
  },
};

const progressCheck: Check = {
  name: 'reports progress within its total, never going back in a phase',
  async run(subject) {
    const { backend, random, lengths } = subject;
    for (const length of [1000, ...some(subject, lengths, 1)]) {
      const seen = new Map<string, number>();
      const onProgress = ({ phase, completed, total }: Progress): void => {
        if (!(completed >= (seen.get(phase) ?? 0) && completed <= total)) {
          throw new Error(`${phase}: ${completed} of ${total} after ${seen.get(phase)}`);
        }
        seen.set(phase, completed);
      };
      await serve(backend, 'sort', [randomKeys(length, random)], { onProgress });
      if (seen.size === 0) throw new Error(`no progress was reported of ${length} keys`);
    }
  },
};

/** The checks of requests. */
export const REQUEST_CHECKS: readonly Check[] = [concurrencyCheck, progressCheck];
