/** `gpu`: RadixSorter on records that live in GPU buffers. */

import { parseArgs } from 'node:util';
import { Random, runSeed } from '@keysweep/conformance/data';
import { describeGpu, formatGpu, GpuMachine, type MachineOptions } from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import type { Clock } from '../gpu/device/task.js';
import {
  combined,
  definitionsOfFiles,
  type GpuDefinition,
  groupsOf,
} from '../gpu/inputs/definitions.js';
import { DISTRIBUTIONS, KEY_WORDS, MADE_TYPES } from '../gpu/inputs/distributions.js';
import { keyFile } from '../gpu/inputs/key-files.js';
import { measureGroup } from '../gpu/measure.js';
import type { GpuRecord, GpuResult } from '../gpu/record.js';
import { type ReferenceTime, readReference } from '../gpu/reference.js';
import { columnsFor, kernelRows, rowOf } from '../gpu/rows.js';
import { copyRate } from '../gpu/timing/copy-rate.js';
import type { Command } from '../program/command.js';
import { lengthsOf, oneOf, someOf } from '../program/options.js';
import { formatCount, formatHead } from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';

const help = `Times RadixSorter on records in GPU buffers. Every result is checked,
by the GPU.

  --sizes 16,20,24   powers of two (16,20,24,26)
  --types u32,f32    of u32, f32, u64 (all)
  --distributions random,few
                     of random (uniform bits), entropy-0.811, entropy-0.544, entropy-0.337,
                     entropy-0.201, entropy-0, sorted, reversed, few (16 keys), equal, bucket
                     (the same 16 bits), half-bucket (random)
  --keys FILE…       keys of files instead, alone and with values: raw, little-endian, named
                     TYPE-KIND.LOG2, such as f32-unit.26. gpu-keys writes them
  --json FILE        writes the samples
  --kernels          kernel by kernel, next to the time that moving its bytes takes
  --reference FILE   compares with what apps/bench/references/cub-files.cu printed on this GPU of
                     the same files; or, without --keys, of files of such keys, as u32-uniform.24
  --clock host       without timestamps (gpu, where the adapter has timestamp-query, which is then
                     requested)
${MACHINE_HELP}`;

export interface GpuOptions {
  readonly machine: MachineOptions;
  readonly definitions: readonly GpuDefinition[];
  /** 'gpu' where the device has timestamps. */
  readonly clock: Clock;
  /** Whether to measure single kernels, too. */
  readonly kernels: boolean;
  readonly reference: readonly ReferenceTime[];
  /** Where to write the samples. */
  readonly json: string | undefined;
}

/** @throws Error for what is no option, or has no such value. */
export function optionsOf(args: string[]): GpuOptions {
  const { values, positionals } = parseArgs({
    args,
    // A shell makes several of a pattern: only the first of them is the value of --keys.
    allowPositionals: args.includes('--keys'),
    options: {
      ...MACHINE_FLAGS,
      keys: { type: 'string' },
      sizes: { type: 'string' },
      types: { type: 'string' },
      distributions: { type: 'string' },
      clock: { type: 'string', default: 'gpu' },
      kernels: { type: 'boolean', default: false },
      reference: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { keys, sizes, types, distributions, kernels, reference, json } = values;
  const clock = oneOf('--clock', values.clock, ['gpu', 'host'] as const);
  if (keys !== undefined && (sizes ?? types ?? distributions) !== undefined) {
    throw new Error('--keys takes no --sizes, --types or --distributions');
  }
  const selection = {
    lengths: sizes === undefined ? undefined : lengthsOf(sizes),
    keyTypes: types === undefined ? undefined : someOf('--types', types, MADE_TYPES),
    distributions:
      distributions === undefined
        ? undefined
        : someOf('--distributions', distributions, DISTRIBUTIONS),
  };
  const definitions =
    keys === undefined
      ? combined(selection)
      : definitionsOfFiles([keys, ...positionals].map(keyFile));
  return {
    machine: machineOf(values, kernels || clock === 'gpu'),
    definitions,
    clock,
    kernels,
    reference: reference === undefined ? [] : readReference(reference),
    json,
  };
}

const CLOCKS: Readonly<Record<Clock, string>> = {
  gpu: 'timestamps of the GPU',
  host: 'batches on the host’s clock, less the same without sorts',
};

async function run(args: string[]): Promise<boolean> {
  const options = optionsOf(args);
  const { definitions, kernels: withKernels, reference, json } = options;
  const device = await (await GpuMachine.find(options.machine)).device();
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
  const areOfFiles = definitions.some((one) => 'path' in one);
  console.log(`Medians of one sort${areOfFiles ? '' : ', of fresh keys each time'}.\n`);
  const columns = columnsFor(definitions, reference);
  console.log(formatHead(columns));
  const about: Pick<GpuRecord, 'gpu' | 'copyRate' | 'reference'> = {
    gpu,
    copyRate: rate,
    reference,
  };
  const record: GpuRecord = newRecord<GpuResult, typeof about>(seed, about);
  for (const group of groupsOf(definitions)) {
    if (!fits(device, group[0] as GpuDefinition)) continue;
    const measured = await measureGroup(device, group, random, { clock, withKernels });
    for (const one of measured) {
      addResult(record, one.result, json);
      console.log(rowOf(columns, one, reference));
      if (rate !== undefined) console.log(kernelRows(one.result.kernels, rate));
    }
  }
  device.destroy();
  return record.results.every(({ verified }) => verified);
}

/** Whether a binding of the device holds the keys. Prints a line where it does not. */
function fits({ limits }: GPUDevice, { operation, keyType, length }: GpuDefinition): boolean {
  const most = Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);
  if (4 * KEY_WORDS[keyType] * length <= most) return true;
  console.log(`${operation} of ${formatCount(length)} ${keyType} keys: more than a binding holds`);
  return false;
}

export const command: Command = { help, run };
