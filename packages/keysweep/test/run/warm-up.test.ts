/** `warmUp` of the functions that share a sorter. */

import { sort, warmUp } from 'keysweep';
import { expect, it } from 'vitest';

it('starts what sorts need, as often as it is asked for', async () => {
  await Promise.all([warmUp(), warmUp(100_000)]);
  const keys = Uint32Array.from({ length: 200_000 }, (_, i) => Math.imul(i, 0x9e3779b1));
  const expected = keys.slice().sort();
  let threads: number | undefined;
  await sort(keys, {
    backend: 'cpu',
    onReport: (report) => {
      threads = report.threads;
    },
  });
  expect(threads).toBeGreaterThan(0);
  expect(keys).toEqual(expected);
});

it('refuses anything but a length', async () => {
  await expect(warmUp(-1)).rejects.toThrow(RangeError);
});
