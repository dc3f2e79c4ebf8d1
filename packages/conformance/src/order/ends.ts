/** The check of segments and key bits that leave all as it is, or nothing to do. */

import { type Check, turn } from '../check.js';
import { classNamed } from '../data/arrays.js';
import type { Variation } from '../request/request.js';
import { verifyAll } from '../request/verify.js';
import { ORDERS, payload, randomBits } from './inputs.js';

const CLASS = classNamed('Uint32Array');

export const endsCheck: Check = {
  name: 'takes segments and key bits at their ends',
  async run({ backend, random, lengths }) {
    let place = random.below(2);
    for (const length of [1, 3000, ...lengths.slice(0, 1)]) {
      const bit = random.below(32);
      const cases: readonly Variation[] = [
        { segments: Uint32Array.of(0, length) },
        { segments: Uint32Array.of(0, 0, length, length) },
        { keyBits: { begin: 0, end: 0 } },
        { keyBits: { begin: bit, end: bit } },
        { keyBits: { begin: 32, end: 32 }, segments: Uint32Array.of(0, 0, length, length) },
      ];
      for (const variation of cases) {
        const keys = randomBits(CLASS, length, random);
        const values = payload('Uint32Array', length, random);
        await verifyAll(backend, keys, [values], { ...variation, order: turn(ORDERS, place++) });
      }
    }
  },
};
