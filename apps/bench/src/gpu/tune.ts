/** `tune`: how fast chained scans of other shapes are on this GPU, for the table in packages/webgpu/src/sorter/tuning.ts. */

import { runSeed } from '@keysweep/conformance/data';
import { RadixSorter } from '@keysweep/webgpu';
import {
  chainedTuning,
  detectSubgroupId,
  type Shape,
  setTuning,
  type Tuning,
} from '@keysweep/webgpu/tuning';
import { type Words, wordsFrom } from '../inputs.js';
import { median } from '../statistics.js';
import { formatCount } from '../table.js';
import { DeviceRecords, type RecordShape } from './device-records.js';
import { describeGpu, formatGpu, type GpuMachine } from './machine.js';
import { addResult, newRecord } from './record.js';
import type { Task } from './task.js';
import { timeWork } from './timing.js';
import { Verdict } from './verdict.js';

export interface TuneOptions {
  readonly lengths: readonly number[];
  readonly json: string | undefined;
}

/** One shape at one length, in milliseconds of a sort. */
interface TuneResult extends RecordShape {
  readonly shape: string;
  readonly milliseconds: readonly number[];
  readonly verified: boolean;
}

/** Threads and keys a thread; those that a device has no room for are left out. */
const SIZES = [
  [256, 4],
  [256, 8],
  [256, 14],
  [256, 20],
  [384, 14],
  [384, 20],
  [512, 8],
  [512, 14],
  [512, 16],
  [512, 18],
  [512, 20],
  [512, 23],
  [1024, 11],
] as const;

/** Workgroups at a time; the shapes above have 528, or 264 from 512 threads on. */
const GROUPS = [132, 528, 2048] as const;

const KINDS: readonly Omit<RecordShape, 'length'>[] = [
  { keyType: 'u32', hasValues: false },
  { keyType: 'u32', hasValues: true },
  { keyType: 'u64', hasValues: false },
  { keyType: 'u64', hasValues: true },
];

/** Measures, prints a table a kind of records, and resolves to whether all results were right. */
export async function tune(machine: GpuMachine, { lengths, json }: TuneOptions): Promise<boolean> {
  const device = await machine.device();
  await detectSubgroupId(device);
  const seed = runSeed();
  const words = wordsFrom(seed);
  const gpu = describeGpu(device);
  console.log(`${formatGpu(gpu)}\nSeed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  const record = newRecord<TuneResult>(gpu, seed);
  for (const kind of KINDS) {
    const tunings = tuningsFor(device);
    console.log(`\n${kind.keyType} keys${kind.hasValues ? ' with u32 values' : ''}, G a second\n`);
    const rows = new Map([...tunings.keys()].map((name) => [name, [] as number[]]));
    for (const length of lengths) {
      for (const result of await measure(device, { ...kind, length }, tunings, words)) {
        addResult(record, result, json);
        const rate = length / median(result.milliseconds) / 1e6;
        rows.get(result.shape)?.push(result.verified ? rate : Number.NaN);
      }
    }
    console.log(tableOf(lengths, rows));
  }
  device.destroy();
  return record.results.every(({ verified }) => verified);
}

/** Tunings by name: one shape for all lengths, or none. */
function tuningsFor(device: GPUDevice): Map<string, Tuning> {
  const base = chainedTuning(device);
  const tunings = new Map<string, Tuning>([['portable', { ...base, chained: undefined }]]);
  if (base.chained === undefined) return tunings;
  const { limits } = device;
  const { subgroup, needsSizeControl, hasSubgroupId } = base.chained[1].many;
  const add = (name: string, threads: number, keys: number, groups: number): void => {
    const rows = threads / subgroup;
    const bytes = 4 * (Math.max(threads * keys, 256 * rows) + 256 + rows + 8);
    const fits =
      bytes <= limits.maxComputeWorkgroupStorageSize &&
      threads <= limits.maxComputeInvocationsPerWorkgroup;
    const shape: Shape = { subgroup, needsSizeControl, hasSubgroupId, threads, keys, groups };
    const shapes = { few: shape, many: shape };
    if (fits) tunings.set(name, { ...base, chained: { 1: shapes, 2: shapes }, maxFew: 0 });
  };
  for (const [threads, keys] of SIZES) {
    add(`${threads} × ${keys}`, threads, keys, threads < 512 ? 528 : 264);
  }
  for (const groups of GROUPS) add(`512 × 18, ${groups} workgroups`, 512, 18, groups);
  return tunings;
}

async function measure(
  device: GPUDevice,
  shape: RecordShape,
  tunings: ReadonlyMap<string, Tuning>,
  words: Words,
): Promise<TuneResult[]> {
  const { keyType, hasValues, length } = shape;
  const records = new DeviceRecords(device, shape, ['random'], words);
  const { from: before, to: after } = records.keys;
  const sorted = { keyType, length, before, after, values: records.args.values };
  const verdict = new Verdict(device, sorted, tunings.size);
  const sorters: RadixSorter[] = [];
  const tasks: Task[] = [];
  for (const tuning of tunings.values()) {
    setTuning(device, tuning);
    const valueType = hasValues ? 'u32' : undefined;
    const sorter = await RadixSorter.create(device, { keyType, valueType, maxCount: length });
    const kind = sorters.push(sorter) - 1;
    tasks.push({
      refresh: (encoder) => records.refresh('random', encoder),
      prepare: (encoder) => records.copy(encoder),
      work: (encoder) => sorter.encode(encoder, records.args),
      check: (encoder) => verdict.check(kind, encoder),
    });
  }
  const clock = device.features.has('timestamp-query') ? 'gpu' : 'host';
  const timings = await timeWork(device, tasks, clock);
  const faults = await verdict.faults();
  verdict.destroy();
  records.destroy();
  for (const sorter of sorters) sorter.destroy();
  return [...tunings.keys()].map((name, i) => ({
    ...shape,
    shape: name,
    milliseconds: timings[i]?.milliseconds ?? [],
    verified: faults[i] === undefined,
  }));
}

/** Markdown; the fastest of a column is bold. */
function tableOf(lengths: readonly number[], rows: ReadonlyMap<string, readonly number[]>): string {
  const best = lengths.map((_, i) => Math.max(...[...rows.values()].map((row) => row[i] ?? 0)));
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(['threads × keys a thread', ...lengths.map((length) => `${formatCount(length)}`)]),
    line(['---', ...lengths.map(() => '---')]),
    ...[...rows].map(([name, row]) =>
      line([
        name,
        ...row.map((rate, i) => (rate === best[i] ? `**${rate.toFixed(2)}**` : rate.toFixed(2))),
      ]),
    ),
  ].join('\n');
}

/** The lengths that tell shapes apart. */
export const TUNED_LENGTHS: readonly number[] = [16, 18, 20, 22, 24, 26].map((n) => 2 ** n);
