/** `bench`: RadixSorter on records that live in GPU buffers. */

import { runSeed } from '@keysweep/conformance/data';
import { RadixSorter } from '@keysweep/webgpu';
import { type Words, wordsFrom } from '../inputs.js';
import type { RecordedResult } from '../record.js';
import { median } from '../statistics.js';
import { formatCount, formatHead, formatRow, formatTime, type TableColumn } from '../table.js';
import { copyRate } from './copy-rate.js';
import { DeviceRecords, KEY_TYPES, type MeasuredType } from './device-records.js';
import { type KernelShare, profileKernels } from './kernels.js';
import { describeGpu, formatGpu, type GpuMachine } from './machine.js';
import { addResult, newRecord } from './record.js';
import { type Task, timeLatency, timeWork } from './timing.js';

export interface BenchOptions {
  /** Numbers of records. */
  readonly lengths: readonly number[];
  readonly keyTypes: readonly MeasuredType[];
  /** Where to write the samples. */
  readonly json: string | undefined;
}

/** One line of the benchmark. */
interface Definition {
  readonly operation: 'sort' | 'sortPairs';
  readonly keyType: MeasuredType;
  readonly length: number;
}

/** What was measured for it, in milliseconds of one sort. */
interface GpuResult extends RecordedResult {
  /** From `submit` to the news that it is done. */
  readonly latency: readonly number[];
  readonly kernels: readonly KernelShare[];
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'operation', width: 9, align: 'left' },
  { title: 'type', width: 4, align: 'left' },
  { title: 'length', width: 11, align: 'right' },
  { title: 'on the GPU', width: 10, align: 'right' },
  { title: 'from', width: 8, align: 'right' },
  { title: 'to', width: 8, align: 'right' },
  { title: 'G keys/s', width: 8, align: 'right' },
  { title: 'latency', width: 8, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

const KERNEL_COLUMNS: readonly TableColumn[] = [
  { title: '', width: 4, align: 'left' },
  { title: 'kernel', width: 9, align: 'left' },
  { title: 'passes', width: 6, align: 'right' },
  { title: 'time', width: 8, align: 'right' },
  { title: 'share', width: 6, align: 'right' },
  { title: 'floor', width: 8, align: 'right' },
  { title: 'reached', width: 7, align: 'right' },
];

/** Measures, prints a row for each, and resolves to whether all results were right. */
export async function bench(machine: GpuMachine, options: BenchOptions): Promise<boolean> {
  const { lengths, keyTypes, json } = options;
  const device = await machine.device();
  const seed = runSeed();
  const words = wordsFrom(seed);
  const gpu = describeGpu(device);
  console.log(`${formatGpu(gpu)}\nSeed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  const rate = machine.options.timestamps ? await copyRate(device) : undefined;
  const record = newRecord(gpu, seed, rate);
  if (rate !== undefined) {
    console.log(
      `Copies:   ${(rate / 1e6).toFixed(0)} GB/s, read and written; floors are at this rate`,
    );
  }
  console.log('Medians of one sort of random keys, fresh each time.\n');
  console.log(formatHead(COLUMNS));
  const definitions = keyTypes.flatMap((keyType) =>
    (['sort', 'sortPairs'] as const).flatMap((operation) =>
      lengths.map((length): Definition => ({ operation, keyType, length })),
    ),
  );
  for (const definition of definitions) {
    const { operation, keyType, length } = definition;
    if (4 * KEY_TYPES[keyType].words * length > mostBytes(device)) {
      console.log(
        `${operation} of ${formatCount(length)} ${keyType} keys: more than a binding holds`,
      );
      continue;
    }
    const { result, fault } = await measure(device, definition, words, rate !== undefined);
    addResult(record, result, json);
    console.log(rowOf(result, fault));
    if (rate !== undefined) console.log(kernelRows(result.kernels, rate));
  }
  device.destroy();
  if (json !== undefined) console.log(`\nRecorded in ${json}`);
  return record.results.every(({ verified }) => verified);
}

const mostBytes = ({ limits }: GPUDevice): number =>
  Math.min(limits.maxBufferSize, limits.maxStorageBufferBindingSize);

async function measure(
  device: GPUDevice,
  definition: Definition,
  words: Words,
  withKernels: boolean,
): Promise<{ result: GpuResult; fault: string | undefined }> {
  const { operation, keyType, length } = definition;
  const hasValues = operation === 'sortPairs';
  const valueType = hasValues ? 'u32' : undefined;
  const sorter = await RadixSorter.create(device, { keyType, valueType, maxCount: length });
  const records = new DeviceRecords(device, { keyType, hasValues, length });
  const task: Task = {
    refresh: () => records.refresh(words()),
    prepare: (encoder) => records.copy(encoder),
    work: (encoder) => sorter.encode(encoder, records.args),
  };
  const { calls, milliseconds } = await timeWork(device, task);
  const sizes = {
    length,
    keyBytes: 4 * KEY_TYPES[keyType].words,
    valueBytes: hasValues ? 4 : 0,
  };
  const kernels = withKernels ? await profileKernels(device, sizes, task) : [];
  const latency = await timeLatency(device, task);
  const fault = await records.fault();
  records.destroy();
  sorter.destroy();
  const result = {
    ...definition,
    distribution: 'random',
    backend: 'webgpu',
    calls,
    ours: milliseconds,
    theirs: [],
    latency,
    kernels,
    verified: fault === undefined,
  } as const;
  return { result, fault };
}

function rowOf(
  { operation, keyType, length, ours, latency }: GpuResult,
  fault: string | undefined,
): string {
  return formatRow(COLUMNS, [
    operation,
    keyType,
    formatCount(length),
    formatTime(median(ours)),
    formatTime(Math.min(...ours)),
    formatTime(Math.max(...ours)),
    formatRate(length / median(ours) / 1e6),
    formatTime(median(latency)),
    fault === undefined ? 'yes' : `NO: ${fault}`,
  ]);
}

/** 31.6543 → "31.65"; of software, 0.000126 → "0.0001". */
const formatRate = (rate: number): string =>
  rate < 0.01 ? Number(rate.toPrecision(1)).toString() : rate.toFixed(2);

/** A table of the kernels; `rate` is in bytes a millisecond. */
function kernelRows(kernels: readonly KernelShare[], rate: number): string {
  const times = kernels.map(({ milliseconds }) => median(milliseconds));
  const total = times.reduce((sum, time) => sum + time, 0);
  const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;
  const rows = kernels.map(({ kernel, passes, bytes }, i) => {
    const time = times[i] as number;
    const floor = bytes / rate;
    return formatRow(KERNEL_COLUMNS, [
      '',
      kernel,
      String(passes),
      formatTime(time),
      percent(time / total),
      ...(bytes === 0 ? [] : [formatTime(floor), percent(floor / time)]),
    ]);
  });
  const titles = KERNEL_COLUMNS.map(({ title }) => title);
  return [formatRow(KERNEL_COLUMNS, titles), ...rows, ''].join('\n');
}
