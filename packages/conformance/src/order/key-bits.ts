/** The check of key bits. */

import { type KeyBits, keyTraits } from '@keysweep/core';
import { type Check, turn } from '../check.js';
import { ARRAY_CLASSES } from '../data/arrays.js';
import { verifyAll } from '../request/verify.js';
import { anyOf, ORDERS, payload, randomBits } from './inputs.js';

export const keyBitsCheck: Check = {
  name: 'orders unsigned keys by their key bits alone; ties keep their order',
  async run({ backend, random, lengths, effort }) {
    for (const arrayClass of ARRAY_CLASSES) {
      const { kind, bits } = keyTraits(arrayClass.keyType);
      if (kind !== 'unsigned') continue;
      const begin = random.below(bits);
      let place = random.below(2);
      const cases: readonly KeyBits[] = [
        { begin: 0, end: bits },
        { begin: 0, end: 0 },
        { begin: bits, end: bits },
        { begin: bits - 1, end: bits },
        { begin: bits >>> 2, end: 3 * (bits >>> 2) },
        { begin, end: begin + random.below(bits - begin + 1) },
      ];
      for (const keyBits of cases) {
        const more = [39, 1 + random.below(4000), ...lengths.slice(0, 2)];
        for (const length of effort === 'sample' ? [anyOf(more, random)] : [1, ...more]) {
          const keys = randomBits(arrayClass, length, random);
          const values = payload('Uint16Array', length, random);
          await verifyAll(backend, keys, [values], { order: turn(ORDERS, place++), keyBits });
        }
      }
    }
  },
};
