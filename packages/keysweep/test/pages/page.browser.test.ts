/** The drop-in sort in a page, as a user imports it. */

import type { KeyArray } from '@keysweep/core';
import { oraclePermutation } from '@keysweep/core/oracle';
import { argsort, createSorter, type SortReport, sort, sortPairs, toSorted } from 'keysweep';
import { expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';

const source = testRandom();

const random = (length: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => (i % 97 === 0 ? Number.NaN : source.unit() - 0.5));

it('sorts, copies, moves values and makes permutations', async () => {
  for (const length of [0, 1, 100, 5000, 200_000]) {
    const keys: KeyArray = random(length);
    const order = oraclePermutation([keys]);
    const sorted = Float32Array.from(order, (index) => keys[index] as number);
    expect(await argsort(keys)).toEqual(order);
    expect(await toSorted(keys)).toEqual(sorted);
    const [copy, indices] = [keys.slice(), Uint32Array.from(keys.keys())];
    await sortPairs(copy, indices);
    expect(copy).toEqual(sorted);
    expect(indices).toEqual(order);
    await sort(keys);
    expect(keys).toEqual(sorted);
  }
});

it('uses the compiled kernels in an isolated page', async () => {
  expect(globalThis.crossOriginIsolated).toBe(true);
  const sorter = await createSorter();
  let report: SortReport | undefined;
  const onReport = (given: SortReport): void => {
    report = given;
  };
  await sorter.warmUp(150_000);
  await sorter.sort(random(50_000), { onReport });
  expect(report).toMatchObject({ backend: 'cpu', threads: 1, fallbacks: [] });
  // On a busy machine one thread may be done before another is awake.
  const threads = navigator.hardwareConcurrency;
  for (let i = 0; i < 100 && report?.threads !== threads; i++) {
    await sorter.sort(random(150_000), { onReport });
    expect(report).toMatchObject({ backend: 'cpu', fallbacks: [] });
  }
  expect(report).toMatchObject({ threads });
  const { cpu, builtin } = await sorter.capabilities();
  expect(cpu).toMatchObject({ available: true });
  expect(JSON.stringify(cpu)).toContain('WebAssembly over shared memory');
  expect(builtin).toMatchObject({ available: true });
  await sorter.release();
  await sorter.close();
});
