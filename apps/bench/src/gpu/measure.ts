/**
 * Measures RadixSorter: definitions that differ only in their distribution take turns in the same
 * buffers.
 */

import type { Random } from '@keysweep/conformance/data';
import { RadixSorter } from '@keysweep/webgpu';
import { DeviceCheck } from './check/device-check.js';
import { recorded } from './device/buffers.js';
import type { Clock, Task } from './device/task.js';
import type { GpuDefinition } from './inputs/definitions.js';
import { DeviceRecords } from './inputs/device-records.js';
import { KEY_WORDS } from './inputs/distributions.js';
import { uploadKeys } from './inputs/key-files.js';
import { profileKernels } from './kernels/profile.js';
import type { GpuResult } from './record.js';
import { timeLatency, timeWork } from './timing/timing.js';

/**
 * The GPU checks every sort; of sorts up to this length the host checks one more, as a witness of
 * its own.
 */
const MAX_READ_BACK = 2 ** 22;

/** A result, and what was wrong with the records that were sorted, if anything. */
export interface Measured {
  readonly result: GpuResult;
  readonly fault: string | undefined;
}

/** With `withKernels` the device has 'timestamp-query', as with the GPU's clock. */
export async function measureGroup(
  device: GPUDevice,
  group: readonly GpuDefinition[],
  random: Random,
  { clock, withKernels }: { readonly clock: Clock; readonly withKernels: boolean },
): Promise<Measured[]> {
  const [first] = group;
  if (first === undefined) return [];
  const { operation, keyType, length } = first;
  const hasValues = operation === 'sortPairs';
  const valueType = hasValues ? 'u32' : undefined;
  const distributions = group.flatMap((one) => ('path' in one ? [] : [one.distribution]));
  const sorter = await RadixSorter.create(device, { keyType, valueType, maxCount: length });
  const shape = { keyType, hasValues, length };
  const records = new DeviceRecords(device, shape, distributions, random);
  const { from: before, to: after } = records.keys;
  if ('path' in first) await uploadKeys(device, first.path, before);
  const sorted = { keyType, length, before, after, values: records.args.values };
  const checker = new DeviceCheck(device, sorted, group.length);
  const tasks = group.map(
    (one, kind): Task => ({
      // Keys of a file are the same each time.
      refresh: (encoder) => 'path' in one || records.refresh(one.distribution, encoder),
      prepare: (encoder) => records.copy(encoder),
      work: (encoder) => sorter.encode(encoder, records.args),
      check: (encoder) => checker.check(kind, encoder),
    }),
  );
  const timings = await timeWork(device, tasks, clock);
  const sizes = { length, keyBytes: 4 * KEY_WORDS[keyType], valueBytes: hasValues ? 4 : 0 };
  const kernels = withKernels ? await profileKernels(device, sizes, tasks, sorter.plan) : [];
  const latencies: number[][] = [];
  for (const task of tasks) latencies.push(await timeLatency(device, task));
  const faults = await checker.faults();
  for (const [kind, { refresh, prepare, work }] of tasks.entries()) {
    if (length > MAX_READ_BACK) break;
    device.queue.submit([recorded(device, refresh, prepare, work)]);
    faults[kind] ??= await records.fault();
  }
  checker.destroy();
  records.destroy();
  sorter.destroy();
  return group.map(({ distribution }, i) => ({
    result: {
      ...{ operation, keyType, length, distribution },
      backend: 'webgpu',
      clock: timings[i]?.clock ?? clock,
      calls: timings[i]?.calls ?? 0,
      ours: timings[i]?.milliseconds ?? [],
      latency: latencies[i] ?? [],
      kernels: kernels[i] ?? [],
      verified: faults[i] === undefined,
    },
    fault: faults[i],
  }));
}
