/** Measures sorts of the papers, and RadixSorter, on keys that are made and checked on the GPU. */

import { DeviceCheck } from '@keysweep/bench/gpu/check/device-check.js';
import type { GpuDescription } from '@keysweep/bench/gpu/device/machine.js';
import type { Clock, Recording, Task } from '@keysweep/bench/gpu/device/task.js';
import { DeviceRecords } from '@keysweep/bench/gpu/inputs/device-records.js';
import type { GpuDistribution } from '@keysweep/bench/gpu/inputs/distributions.js';
import { timeWork } from '@keysweep/bench/gpu/timing/timing.js';
import type { Random } from '@keysweep/conformance/data';
import { RadixSorter } from '@keysweep/webgpu';
import { type Cost, largestBuffer, PaperSorter } from '../sorts/index.js';
import { algorithmOf, type PaperDefinition } from './definitions.js';

/** What was measured, in milliseconds of one sort. */
export interface PaperResult extends PaperDefinition {
  readonly distribution: GpuDistribution;
  readonly clock: Clock;
  /** Sorts in a sample. */
  readonly calls: number;
  readonly milliseconds: readonly number[];
  /** Dispatches of a sort; 0 for keysweep, where the GPU decides. */
  readonly dispatches: number;
  /** The analytic model of a key; undefined for keysweep. */
  readonly cost: Cost | undefined;
  readonly verified: boolean;
  readonly fault: string | undefined;
}

/** What a record says besides its results. */
export interface PapersAbout {
  readonly gpu: GpuDescription;
  /** Bytes that a copy reads and writes in a millisecond; undefined without timestamps. */
  readonly copyRate?: number | undefined;
}

/** A sort that is ready: what records it, and how many dispatches it has. */
export interface Ready {
  readonly encode: Recording;
  readonly dispatches: number;
  destroy(): void;
}

/** Compiles a sort of `records`, and allocates what it needs. */
export async function prepare(
  device: GPUDevice,
  { sort, operation, length }: PaperDefinition,
  { args }: DeviceRecords,
): Promise<Ready> {
  const hasValues = operation === 'sortPairs';
  const algorithm = algorithmOf(sort);
  if (algorithm === undefined) {
    const valueType = hasValues ? 'u32' : undefined;
    const sorter = await RadixSorter.create(device, {
      keyType: 'u32',
      valueType,
      maxCount: length,
    });
    const encode: Recording = (encoder) => sorter.encode(encoder, args);
    return { encode, dispatches: 0, destroy: () => sorter.destroy() };
  }
  const sorter = PaperSorter.create(device, algorithm, { count: length, hasValues });
  return {
    encode: (encoder) => sorter.encode(encoder, args),
    dispatches: sorter.plan.dispatches.length,
    destroy: () => sorter.destroy(),
  };
}

/** Whether the device has buffers and bindings for the sort. */
export function fits({ limits }: GPUDevice, { sort, operation, length }: PaperDefinition): boolean {
  const { maxBufferSize, maxStorageBufferBindingSize } = limits;
  const algorithm = algorithmOf(sort);
  const hasValues = operation === 'sortPairs';
  // keysweep takes longer keys apart, and so does what makes and checks them.
  if (algorithm === undefined && !hasValues) return 4 * length <= maxBufferSize;
  const words = algorithm ? largestBuffer(algorithm, length, hasValues) : length;
  return 4 * words <= Math.min(maxBufferSize, maxStorageBufferBindingSize);
}

/** One line, for each of `distributions`, which take turns. Every result is checked. */
export async function measurePaper(
  device: GPUDevice,
  definition: PaperDefinition,
  distributions: readonly GpuDistribution[],
  clock: Clock,
  random: Random,
): Promise<PaperResult[]> {
  const { sort, operation, length } = definition;
  const shape = { keyType: 'u32', hasValues: operation === 'sortPairs', length } as const;
  const records = new DeviceRecords(device, shape, distributions, random);
  const { from: before, to: after } = records.keys;
  const sorted = { keyType: 'u32', length, before, after, values: records.args.values } as const;
  const checker = new DeviceCheck(device, sorted, distributions.length);
  const ready = await prepare(device, definition, records);
  const tasks = distributions.map(
    (distribution, kind): Task => ({
      refresh: (encoder) => records.refresh(distribution, encoder),
      prepare: (encoder) => records.copy(encoder),
      work: ready.encode,
      check: (encoder) => checker.check(kind, encoder),
    }),
  );
  const timings = await timeWork(device, tasks, clock);
  const faults = await checker.faults();
  checker.destroy();
  records.destroy();
  ready.destroy();
  return distributions.map((distribution, i) => ({
    ...definition,
    distribution,
    clock: timings[i]?.clock ?? clock,
    calls: timings[i]?.calls ?? 0,
    milliseconds: timings[i]?.milliseconds ?? [],
    dispatches: ready.dispatches,
    cost: algorithmOf(sort)?.cost(length),
    verified: faults[i] === undefined,
    fault: faults[i],
  }));
}
