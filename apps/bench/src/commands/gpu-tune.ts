/**
 * `gpu-tune`: how fast chained scans of other shapes are on this GPU, for the table in
 * packages/webgpu/src/sorter/tuning/tuning.ts.
 */

import { parseArgs } from 'node:util';
import { Random, runSeed } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { RadixSorter } from '@keysweep/webgpu';
import {
  chainedTuning,
  detectSubgroupId,
  type Shape,
  setTuning,
  type Tuning,
} from '@keysweep/webgpu/tuning';
import { DeviceCheck } from '../gpu/check/device-check.js';
import { describeGpu, formatGpu, type GpuDescription, GpuMachine } from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import type { Task } from '../gpu/device/task.js';
import { DeviceRecords, type RecordShape } from '../gpu/inputs/device-records.js';
import { timeWork } from '../gpu/timing/timing.js';
import type { Command } from '../program/command.js';
import { lengthsOf } from '../program/options.js';
import { formatCount } from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';

const help = `Times chained scans of other shapes on this GPU, and prints the tables
of packages/webgpu/tuning.md.

  --sizes 16,20      powers of two (16,18,20,22,24,26)
  --json FILE        writes the samples
${MACHINE_HELP}
Features are always all.`;

/** One shape at one length, in milliseconds of a sort. */
interface TuneResult extends RecordShape {
  readonly shape: string;
  readonly milliseconds: readonly number[];
  readonly verified: boolean;
}

/** Threads and keys a thread. Shapes that do not fit a device are left out. */
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

async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      sizes: { type: 'string', default: '16,18,20,22,24,26' },
      json: { type: 'string' },
    },
  });
  const lengths = lengthsOf(values.sizes);
  const options = machineOf({ ...values, features: 'all' }, true);
  const device = await (await GpuMachine.find(options)).device();
  await detectSubgroupId(device);
  const seed = runSeed();
  const random = new Random(seed);
  const gpu = describeGpu(device);
  console.log(`${formatGpu(gpu)}\nSeed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  const record = newRecord<TuneResult, { gpu: GpuDescription }>(seed, { gpu });
  for (const kind of KINDS) {
    const tunings = tuningsFor(device);
    console.log(`\n${kind.keyType} keys${kind.hasValues ? ' with u32 values' : ''}, G a second\n`);
    const rows = new Map([...tunings.keys()].map((name) => [name, [] as number[]]));
    for (const length of lengths) {
      for (const result of await measure(device, { ...kind, length }, tunings, random)) {
        addResult(record, result, values.json);
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
    const shapes = { one: shape, few: shape, middle: shape, many: shape };
    if (fits) tunings.set(name, { ...base, chained: { 1: shapes, 2: shapes } });
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
  random: Random,
): Promise<TuneResult[]> {
  const { keyType, hasValues, length } = shape;
  const records = new DeviceRecords(device, shape, ['random'], random);
  const { from: before, to: after } = records.keys;
  const sorted = { keyType, length, before, after, values: records.args.values };
  const checker = new DeviceCheck(device, sorted, tunings.size);
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
      check: (encoder) => checker.check(kind, encoder),
    });
  }
  const clock = device.features.has('timestamp-query') ? 'gpu' : 'host';
  const timings = await timeWork(device, tasks, clock);
  const faults = await checker.faults();
  checker.destroy();
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

export const command: Command = { help, run };
