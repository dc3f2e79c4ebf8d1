/** `bench`: RadixSorter on records that live in GPU buffers. */

import { Random, runSeed } from '@keysweep/conformance/data';
import { formatCount } from '../table.js';
import { copyRate } from './copy-rate.js';
import { type GpuDefinition, groupsOf } from './definitions.js';
import { KEY_TYPES } from './distributions.js';
import { describeGpu, formatGpu, type GpuMachine } from './machine.js';
import { measureGroup } from './measure.js';
import { addResult, type GpuResult, newRecord } from './record.js';
import type { ReferenceTime } from './reference.js';
import { headFor, kernelRows, rowOf } from './rows.js';
import type { Clock } from './task.js';

export interface BenchOptions {
  readonly definitions: readonly GpuDefinition[];
  /** 'gpu' where the device can tell. */
  readonly clock: Clock;
  /** Whether to measure single kernels, too. */
  readonly kernels: boolean;
  readonly reference: readonly ReferenceTime[];
  /** Where to write the samples. */
  readonly json: string | undefined;
}

const CLOCKS: Readonly<Record<Clock, string>> = {
  gpu: "timestamps of the GPU's",
  host: 'batches on the host’s clock, less the same without sorts',
};

/** Measures, prints a row for each, and resolves to whether all results were right. */
export async function bench(machine: GpuMachine, options: BenchOptions): Promise<boolean> {
  const { definitions, kernels: withKernels, reference, json } = options;
  const device = await machine.device();
  const hasTimestamps = device.features.has('timestamp-query');
  if (withKernels && !hasTimestamps) {
    throw new Error('--kernels takes a device with the feature timestamp-query');
  }
  const clock = hasTimestamps ? options.clock : 'host';
  const seed = runSeed();
  const random = new Random(seed);
  const gpu = describeGpu(device);
  console.log(`${formatGpu(gpu)}\nSeed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  console.log(`Clock:    ${CLOCKS[clock]}`);
  const rate = withKernels ? await copyRate(device) : undefined;
  if (rate !== undefined) {
    const gigabytes = (rate / 1e6).toFixed(0);
    console.log(`Copies:   ${gigabytes} GB/s, read and written; floors are at this rate`);
  }
  console.log('Medians of one sort, of fresh keys each time.\n');
  console.log(headFor(reference));
  const record = newRecord<GpuResult>(gpu, seed, rate, reference);
  for (const group of groupsOf(definitions)) {
    if (!fits(device, group[0] as GpuDefinition)) continue;
    const measured = await measureGroup(device, group, random, { clock, withKernels });
    for (const one of measured) {
      addResult(record, one.result, json);
      console.log(rowOf(one, reference));
      if (rate !== undefined) console.log(kernelRows(one.result.kernels, rate));
    }
  }
  device.destroy();
  if (json !== undefined) console.log(`\nRecorded in ${json}`);
  return record.results.every(({ verified }) => verified);
}

/** Whether a binding of the device holds the keys. Says so where not. */
function fits({ limits }: GPUDevice, { operation, keyType, length }: GpuDefinition): boolean {
  const most = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  if (4 * KEY_TYPES[keyType].words * length <= most) return true;
  console.log(`${operation} of ${formatCount(length)} ${keyType} keys: more than a binding holds`);
  return false;
}
