/** The check that combines everything. */

import type { TypedArray } from '@keysweep/core';
import { Random } from '@keysweep/core/random';
import fc from 'fast-check';
import { type Check, turn } from '../check.js';
import { ARRAY_CLASSES } from '../data/arrays.js';
import { distributionsFor } from '../data/distributions.js';
import { verifyAll } from '../request/verify.js';
import { keysOf, PAYLOADS, payload } from './inputs.js';

export const propertyCheck: Check = {
  name: 'sorts any type, length and distribution with any option (property)',
  async run({ backend, random, effort }) {
    const index = fc.nat({ max: 1000 });
    const property = fc.asyncProperty(
      fc.record({
        type: index,
        length: fc.nat({ max: 2500 }),
        distribution: index,
        payload: index,
        descending: fc.boolean(),
        segments: fc.option(fc.array(fc.nat({ max: 2500 }), { maxLength: 40 })),
        seed: fc.nat(),
      }),
      async (drawn) => {
        const { type, length, distribution, descending } = drawn;
        // Of the example's own seed, so that fast-check can shrink and repeat it.
        const data = new Random(drawn.seed);
        const arrayClass = turn(ARRAY_CLASSES, type);
        const fill = turn(distributionsFor(arrayClass), distribution);
        const keys: TypedArray = keysOf(arrayClass, length, fill, data);
        const offsets = drawn.segments?.map((offset) => Math.min(offset, length));
        const segments = offsets && Uint32Array.of(0, ...offsets).sort();
        const order = descending ? 'descending' : 'ascending';
        const values = payload(turn(PAYLOADS, drawn.payload), length, data);
        await verifyAll(backend, keys, [values], { order, segments });
      },
    );
    const numRuns = effort === 'sample' ? 40 : 150;
    const run = await fc.check(property, { numRuns, seed: random.seed | 0 });
    const { counterexample, errorInstance: cause } = run;
    // The case alone: how fast-check came to it helps nobody.
    if (run.failed) throw new Error(`${fc.stringify(counterexample)}: ${cause}`, { cause });
  },
};
