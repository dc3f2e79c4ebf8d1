/** The order of rows by the runtime's own sort, beside the oracle, where rows are packed. */

import {
  ARRAY_CLASSES,
  fillSpecial,
  fillWithBits,
  Random,
  runSeed,
} from '@keysweep/conformance/data';
import type { KeyArray } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { argsort, sortPairs } from 'keysweep';
import { argsortSync } from 'keysweep/sync';
import { describe, expect, it } from 'vitest';

const SEED = runSeed();

/** How keys are drawn. */
const FILLS: Readonly<Record<string, (keys: KeyArray, random: Random) => void>> = {
  bits: fillWithBits,
  special: fillSpecial,
  // Keys of 64 bits then agree in their upper halves.
  small(keys, random) {
    for (let i = 0; i < keys.length; i++) {
      const small = random.below(200);
      (keys as unknown as unknown[])[i] = typeof keys[0] === 'bigint' ? BigInt(small) : small;
    }
  },
};

describe.each(ARRAY_CLASSES)(`orders rows by $name (KEYSWEEP_SEED=${SEED})`, ({ create }) => {
  it.each(Object.entries(FILLS))('of %s', async (_, fill) => {
    const random = new Random(SEED);
    for (const length of [95, 96, 97, 300, 1000]) {
      const keys = create(length);
      fill(keys, random);
      for (const order of ['ascending', 'descending'] as const) {
        const expected = oraclePermutation([keys], { order });
        const options = { order, backend: 'builtin' } as const;
        expect(await argsort(keys, options)).toEqual(expected);
        expect(await argsort(keys, { order })).toEqual(expected);
        expect(argsortSync(keys, { order })).toEqual(expected);
        const segments = Uint32Array.of(0, 0, 1, 2, 40, 40, length - 1);
        expect(await argsort(keys, { ...options, segments })).toEqual(
          oraclePermutation([keys], { order, segments }),
        );
        const values = Uint32Array.from({ length }, (_, row) => row);
        await sortPairs(keys.slice(), values, options);
        expect(values).toEqual(expected);
      }
    }
  });
});
