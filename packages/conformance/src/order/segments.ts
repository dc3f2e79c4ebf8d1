/** The check of segments. */

import { type Check, some, turn } from '../check.js';
import { classNamed } from '../data/arrays.js';
import { verifyAll } from '../request/verify.js';
import { ORDERS, payload, randomBits, segmentCases } from './inputs.js';

const CLASSES = ['Uint8Array', 'Float32Array', 'BigInt64Array'].map(classNamed);

export const segmentsCheck: Check = {
  name: 'sorts each segment on its own',
  async run(subject) {
    const { backend, random, lengths } = subject;
    let place = random.below(2);
    const tried = [3000, ...some(subject, [0, 1, 100], 1), ...some(subject, lengths, 1)];
    for (const [i, length] of tried.entries()) {
      const all = segmentCases(length, random);
      // All cases with 3000 keys, by both orders in turns.
      for (const segments of i === 0 ? all : some(subject, all, 3)) {
        const keys = randomBits(turn(CLASSES, i), length, random);
        const values = payload('Uint32Array', length, random);
        await verifyAll(backend, keys, [values], { order: turn(ORDERS, place++), segments });
      }
    }
  },
};
