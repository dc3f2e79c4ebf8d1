/** Indices by some leading bits of the keys' range: their order, and the passes that it takes. */

import './software-gpu.js';
import { classNamed, fillSpecial, fillWithBits, runSeed } from '@keysweep/conformance/data';
import { makeRequest } from '@keysweep/conformance/suite';
import { keysToWords, keyTransform, traitsOf } from '@keysweep/core';
import { afterAll, expect, it } from 'vitest';
import { testRandom } from '../../../tools/test/random.js';
import { webgpu } from '../src/backend.js';
import { watchedAdapters } from './watched-adapters.js';

const seed = runSeed();
const random = testRandom();
const adapters = watchedAdapters();
const backend = webgpu({ requestAdapter: adapters.requestAdapter });

afterAll(async () => {
  await backend.close();
  await adapters.assertClean();
});

/** The bits of every key that have to decide. */
function codesOf(keys: Parameters<typeof traitsOf>[0], precision: number): bigint[] {
  const traits = traitsOf(keys);
  const words = keysToWords(keys, traits);
  const { ceiling } = keyTransform(traits.keyType);
  const all = Array.from({ length: keys.length }, (_, row) => {
    const isWide = traits.bits === 64;
    const low = BigInt(words[isWide ? 2 * row : row] as number);
    const word = isWide ? low | (BigInt(words[2 * row + 1] as number) << 32n) : low;
    return word < ceiling ? word : ceiling;
  });
  const rising = [...all].sort((a, b) => Number(a > b) - Number(a < b));
  const [least, most] = [rising[0] as bigint, rising.at(-1) as bigint];
  const shift = Math.max(0, (most - least).toString(2).length - precision);
  return all.map((word) => (word - least) >> BigInt(shift));
}

it.each([
  // Floats are sorted by all bits, integers by one more than the precision.
  ['Float32Array', 16, undefined],
  ['Uint32Array', 24, 4],
  ['Int32Array', 16, 3],
  ['Float64Array', 24, undefined],
  ['BigUint64Array', 16, 3],
] as const)('%s: %i bits of the range decide, in %s passes', async (name, precision, passes) => {
  const { create } = classNamed(name);
  for (const fill of [fillWithBits, fillSpecial]) {
    for (const order of ['ascending', 'descending'] as const) {
      const keys = create(4000 + random.below(4000));
      fill(keys, random);
      const { shape, ...rest } = makeRequest('argsort', [keys], { order });
      const outcome = await backend.sort({ ...rest, shape: { ...shape, precision } });
      const rows = outcome.permutation as Uint32Array;
      if (passes !== undefined) expect(outcome.passes.run).toBe(passes);
      expect(rows.slice().sort()).toEqual(Uint32Array.from(keys.keys()));
      const codes = codesOf(keys, precision);
      const sign = order === 'ascending' ? 1n : -1n;
      const at = rows.findIndex(
        (row, i) =>
          i > 0 && sign * ((codes[row] as bigint) - (codes[rows[i - 1] as number] as bigint)) < 0n,
      );
      expect(at, `${name}, ${order}, seed ${seed}`).toBe(-1);
    }
  }
});
