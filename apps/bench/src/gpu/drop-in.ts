/** `sort`: the webgpu backend on ordinary arrays, in turns with the built-in sort. */

import { makeKeys, Random, runSeed } from '@keysweep/conformance/data';
import { median } from '@keysweep/conformance/statistics';
import { differenceOf } from '@keysweep/conformance/verify';
import { type Backend, type Phase, plainRequest, type SortOutcome } from '@keysweep/core';
import { webgpu } from '@keysweep/webgpu';
import type { RecordedResult } from '../record.js';
import {
  formatCount,
  formatHead,
  formatRatio,
  formatRow,
  formatTime,
  type TableColumn,
} from '../table.js';
import type { MeasuredType } from './distributions.js';
import { describeGpu, formatGpu, type GpuMachine } from './machine.js';
import { addResult, newRecord } from './record.js';

export interface DropInOptions {
  /** Numbers of keys. */
  readonly lengths: readonly number[];
  readonly keyTypes: readonly MeasuredType[];
  /** Where to write the samples. */
  readonly json: string | undefined;
}

const PHASES = ['upload', 'sort', 'readback'] as const satisfies Phase[];

interface DropInResult extends RecordedResult {
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

/** Measures, prints a row for each, and resolves to whether all results were right. */
export async function dropIn(machine: GpuMachine, options: DropInOptions): Promise<boolean> {
  const { lengths, keyTypes, json } = options;
  const device = await machine.device();
  const gpu = describeGpu(device);
  device.destroy();
  const seed = runSeed();
  const random = new Random(seed);
  const record = newRecord<DropInResult>(gpu, seed);
  console.log(`${formatGpu(gpu)}\nSeed:     ${seed} (KEYSWEEP_SEED repeats it)`);
  console.log('Medians of one sort of random keys in ordinary arrays, fresh each time; warm.\n');
  console.log(formatHead(COLUMNS));
  const backend = webgpu({ requestAdapter: () => machine.adapter() });
  for (const keyType of keyTypes) {
    for (const length of lengths) {
      const result = await measure(backend, keyType, length, random);
      addResult(record, result, json);
      console.log(rowOf(result));
    }
  }
  await backend.close();
  if (json !== undefined) console.log(`\nRecorded in ${json}`);
  return record.results.every(({ verified }) => verified);
}

async function measure(
  backend: Backend,
  keyType: MeasuredType,
  length: number,
  random: Random,
): Promise<DropInResult> {
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
    // Whoever comes second finds warmer caches and a busier garbage collector, so they take turns.
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

function rowOf({ keyType, length, ours, theirs, phases, verified }: DropInResult): string {
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
