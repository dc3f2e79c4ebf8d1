/** Tables of very many segments, recorded into an encoder that is none: no GPU is needed. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import type { GPUComputePassEncoder, GPUDevice } from '../dist/device/gpu-types.js';
import { groupCountOf, groupSegments, WorkgroupSort } from '../dist/sorter/sorts/workgroup-sort.js';

/** What WebGPU allows in each dimension of a dispatch. */
const MOST = 65_535;

/** A device that makes nothing. */
function fakeDevice(): GPUDevice {
  const made = (): unknown => ({
    size: 256,
    getMappedRange: () => new ArrayBuffer(256),
    unmap() {},
    destroy() {},
  });
  return new Proxy({} as GPUDevice, {
    get: (_, name) => {
      if (name === 'queue') return { writeBuffer() {} };
      if (name === 'limits') return { maxComputeWorkgroupsPerDimension: MOST };
      return name === 'features' ? new Set() : made;
    },
  });
}

const buffer = { buffer: {} } as never;

/** The workgroups that sort this many groups, in x and in y. */
function dispatched(groupCount: number): readonly [number, number] {
  const sort = new WorkgroupSort(
    fakeDevice(),
    { keyType: 'u32', order: 'ascending', maxCount: 2 ** 20, keyBits: undefined } as never,
    { keyWords: 1, valueWords: 0 } as never,
    undefined,
  );
  const calls: [number, number][] = [];
  const pass = {
    setBindGroup() {},
    setPipeline() {},
    dispatchWorkgroups: (x: number, y = 1) => void calls.push([x, y]),
  } as unknown as GPUComputePassEncoder;
  sort.recordSegments(pass, {} as never, { groups: buffer, starts: buffer, groupCount });
  expect(calls.length).toBe(1);
  return calls[0] as [number, number];
}

it('every group has one workgroup, in dispatches that every device allows', () => {
  const random = new Random(runSeed());
  const counts = [1, 2, MOST - 1, MOST, MOST + 1, 2 * MOST - 1, 2 * MOST, 2 * MOST + 1, 2 ** 24];
  for (const count of [
    ...counts,
    ...Array.from({ length: 200 }, () => 1 + random.below(2 ** 26)),
  ]) {
    const [x, y] = dispatched(count);
    expect(Math.max(x, y), `${count} groups`).toBeLessThanOrEqual(MOST);
    // The kernel takes group x + y * width, and none beyond the table.
    expect(x * y, `${count} groups`).toBeGreaterThanOrEqual(count);
    expect(x * y - count, `${count} groups`).toBeLessThan(y);
  }
  expect(dispatched(MOST)).toEqual([MOST, 1]);
  expect(dispatched(MOST + 1)).toEqual([2 ** 15, 2]);
});

it('groups of very many segments hold each key once, whole segments in each', () => {
  const tile = 3328;
  const count = MOST + 4465;
  // Segments of more than half a tile: none shares its group.
  const starts = Uint32Array.from({ length: count }, (_, i) => 2000 * i);
  const length = 2000 * count;
  const groups = groupSegments(starts, length, tile) as Uint32Array;
  expect(groupCountOf(groups)).toBe(count);
  let wrong = 0;
  for (let i = 0; i < count; i++) {
    const [first, end, firstSegment, endSegment] = groups.subarray(4 * i, 4 * i + 4);
    const isRight =
      first === 2000 * i && end === first + 2000 && firstSegment === i && endSegment === i + 1;
    if (!isRight) wrong++;
  }
  expect(wrong).toBe(0);
});
