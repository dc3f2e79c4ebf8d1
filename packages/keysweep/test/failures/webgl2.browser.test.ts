/** A WebGL2 context that is lost under 'auto', and under its name. */

import { isThorough, randomKeys } from '@keysweep/conformance/data';
import { webgl2 } from '@keysweep/webgl2';
import { BackendFailedError, builtin, type Sorter, type SortReport } from 'keysweep';
import { afterEach, expect, it } from 'vitest';
import { testRandom } from '../../../../tools/test/random.js';
import { eagerSorter } from '../eager.js';
import { hardware } from '../hardware.js';

const random = testRandom();

/** Rows whose argsort 'auto' gives to the GPU: few, by a profile that says so. */
const MANY = isThorough ? 2 ** 18 : 3000;
const TIMES = isThorough ? {} : ({ webgl2: { 'argsort u32': [[MANY, 0.001]] } } as const);

const { prototype } = WebGL2RenderingContext;
const { readPixels } = prototype;

/** Loses the context of the next sort when its result is asked for. */
function loseNext(): void {
  prototype.readPixels = function (this: WebGL2RenderingContext, ...args: never[]) {
    prototype.readPixels = readPixels;
    this.getExtension('WEBGL_lose_context')?.loseContext();
    return (readPixels as (...args: never[]) => void).apply(this, args);
  } as typeof readPixels;
}

let sorter: Sorter;
afterEach(() => sorter.close());

it("'auto' falls back after a lost context, and reports it; a named backend rejects", async () => {
  const gpu = webgl2({ load: () => import('gpu.js') });
  sorter = await eagerSorter([hardware(gpu), builtin()], {}, TIMES);
  const keys = randomKeys(MANY, random);
  const before = keys.slice();
  await sorter.argsort(keys.subarray(0, 100), { backend: 'webgl2' });

  loseNext();
  let report: SortReport | undefined;
  const onReport = (given: SortReport): void => {
    report = given;
  };
  const permutation = await sorter.argsort(keys, { onReport });
  expect(report?.backend).toBe('builtin');
  expect(report?.fallbacks).toEqual([{ backend: 'webgl2', error: expect.any(BackendFailedError) }]);
  expect(report?.fallbacks[0]?.error.message).toContain('the WebGL2 context was lost');
  const sorted = keys.slice().sort();
  expect(permutation.every((index, i) => keys[index] === sorted[i])).toBe(true);

  loseNext();
  const few = keys.subarray(0, 1000);
  await expect(sorter.sort(few, { backend: 'webgl2' })).rejects.toThrow(BackendFailedError);
  expect(keys.every((key, i) => key === before[i])).toBe(true);
  await sorter.sort(few, { backend: 'webgl2' });
  expect(few).toEqual(before.slice(0, 1000).sort());
});
