/** How many workgroups sort segments: no dispatch has over 65,535 in one direction. */

import { expect, it } from 'vitest';
import { BufferUsage } from '../src/device/usage.js';
import { WorkgroupSort } from '../src/sorter/sorts/workgroup-sort.js';
import './software-gpu.js';
import { sharedWatchedDevice } from './watched-device.js';

it.each([1, 65_535, 65_536, 131_070, 131_071, 1_000_003])(
  '%i groups: as many workgroups, and less than a row more',
  async (groupCount) => {
    const { device } = await sharedWatchedDevice();
    const options = { keyType: 'u32', maxCount: 0 } as const;
    const widths = { keyWords: 1, valueWords: 0, approximate: false } as const;
    const sort = new WorkgroupSort(device, options, widths, undefined);
    const buffer = device.createBuffer({ size: 256, usage: BufferUsage.STORAGE });
    const dispatched: (readonly number[])[] = [];
    const nothing = (): void => {};
    const pass = {
      setBindGroup: nothing,
      setPipeline: nothing,
      dispatchWorkgroups: (...sizes: number[]) => dispatched.push(sizes),
    } as unknown as GPUComputePassEncoder;
    const tables = { groups: { buffer }, starts: { buffer }, groupCount };
    sort.recordSegments(pass, sort.bind([{ buffer }]), tables);
    const [[x = 0, y = 0] = []] = dispatched;
    expect(dispatched).toHaveLength(1);
    expect(Math.max(x, y)).toBeLessThanOrEqual(65_535);
    // The kernel leaves out those behind the last.
    expect(x * y).toBeGreaterThanOrEqual(groupCount);
    expect(x * y - groupCount).toBeLessThan(y);
    sort.destroy();
    buffer.destroy();
  },
);
