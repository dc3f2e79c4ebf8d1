/** `gpu-sort`: the webgpu backend on ordinary arrays, by turns with the built-in sort. */

import { parseArgs } from 'node:util';
import { makeKeys, Random, runSeed } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { differenceOf } from '@keysweep/conformance/verify';
import { type Backend, plainRequest, type SortOutcome } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import { describeGpu, formatGpu, type GpuDescription, GpuMachine } from '../gpu/device/machine.js';
import { MACHINE_FLAGS, MACHINE_HELP, machineOf } from '../gpu/device/options.js';
import { MEASURED_TYPES, type MeasuredType } from '../gpu/inputs/distributions.js';
import { lengthsOf, someOf } from '../program/options.js';
import {
  formatCount,
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';
import type { CpuResult } from './cpu.js';

export const help: string = `Times the webgpu backend on ordinary arrays, in turns with the built-in
sort. Every result is compared.

  --sizes 20,22      powers of two (20,22,24,26)
  --types u32,f32    of u32, f32, u64 (u32,f32)
  --json FILE        writes the samples
${MACHINE_HELP}`;

const PHASES: readonly ['upload', 'sort', 'readback'] = ['upload', 'sort', 'readback'];

export interface GpuSortResult extends CpuResult {
  /** Milliseconds of each phase, one number a sample. */
  readonly phases: Readonly<Record<(typeof PHASES)[number], readonly number[]>>;
}

const COLUMNS: readonly TableColumn[] = [
  { title: 'type', width: 4, align: 'left' },
  { title: 'length', width: 11, align: 'right' },
  { title: 'webgpu', width: 9, align: 'right' },
  ...PHASES.map((title) => ({ title, width: 8, align: 'right' }) as const),
  { title: 'built-in', width: 9, align: 'right' },
  { title: 'ratio', width: 6, align: 'right' },
  { title: 'verified', width: 8, align: 'left' },
];

/** Of long arrays fewer samples, for the built-in sort takes seconds. */
const samplesOf = (length: number): number => (length < 2 ** 24 ? 7 : 3);

export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      ...MACHINE_FLAGS,
      sizes: { type: 'string', default: '20,22,24,26' },
      types: { type: 'string', default: 'u32,f32' },
      json: { type: 'string' },
    },
  });
  const lengths = lengthsOf(values.sizes);
  const keyTypes = someOf('--types', values.types, MEASURED_TYPES);
  const machine = await GpuMachine.find(machineOf(values, false));
  const device = await machine.device();
  const gpu = describeGpu(device);
  device.destroy();
  const seed = runSeed();
  const random = new Random(seed);
  const record = newRecord<GpuSortResult, { gpu: GpuDescription }>(seed, { gpu });
  console.log(`${formatGpu(gpu)}\nSeed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  console.log('Medians of one sort of random keys in ordinary arrays, fresh each time; warm.\n');
  console.log(formatHead(COLUMNS));
  const backend = webgpu({ requestAdapter: () => machine.adapter() });
  for (const keyType of keyTypes) {
    for (const length of lengths) {
      const result = await measure(backend, keyType, length, random);
      addResult(record, result, values.json);
      console.log(rowOf(result));
    }
  }
  await backend.close();
  return record.results.every(({ verified }) => verified);
}

async function measure(
  backend: Backend,
  keyType: MeasuredType,
  length: number,
  random: Random,
): Promise<GpuSortResult> {
  const ours: number[] = [];
  const theirs: number[] = [];
  const phases = { upload: [] as number[], sort: [] as number[], readback: [] as number[] };
  let verified = true;
  await backend.warmUp(length);
  // The first sample warms up: the engine's own sort gets better, too.
  for (let sample = -1; sample < samplesOf(length); sample++) {
    const forUs = makeKeys(keyType, length, 'random', random);
    const forThem = forUs.slice();
    let outcome: SortOutcome | undefined;
    const us = async (): Promise<void> => {
      outcome = await backend.sort(plainRequest('sort', forUs));
    };
    const them = async (): Promise<void> => {
      forThem.sort();
    };
    // By turns: the second call finds warmer caches and a busier garbage collector.
    const oursFirst = sample % 2 === 0;
    const first = await timeCall(oursFirst ? us : them);
    const second = await timeCall(oursFirst ? them : us);
    verified &&= differenceOf(forUs, forThem) === undefined;
    if (sample < 0) continue;
    ours.push(oursFirst ? first : second);
    theirs.push(oursFirst ? second : first);
    for (const phase of PHASES) phases[phase].push(outcome?.milliseconds[phase] ?? 0);
  }
  return {
    operation: 'sort',
    keyType,
    length,
    distribution: 'random',
    backend: 'webgpu',
    calls: 1,
    ours,
    theirs,
    phases,
    verified,
  };
}

async function timeCall(call: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

function rowOf({ keyType, length, ours, theirs, phases, verified }: GpuSortResult): string {
  return formatRow(COLUMNS, [
    keyType,
    formatCount(length),
    formatTime(median(ours)),
    ...PHASES.map((phase) => formatTime(median(phases[phase]))),
    formatTime(median(theirs)),
    formatRatio(median(theirs) / median(ours)),
    verified ? 'yes' : 'NO',
  ]);
}
