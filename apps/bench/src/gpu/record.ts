/** Records of measurements on a GPU: as those of `npm run bench`, and more. */

import { writeFileSync } from 'node:fs';
import { type BenchmarkRecord, describeMachine, formatRecord } from '../record/record.js';
import type { GpuDescription } from './device/machine.js';
import type { GpuDefinition } from './inputs/definitions.js';
import type { KernelShare } from './kernels/profile.js';
import type { ReferenceTime } from './reference.js';
import type { Clock } from './timing/task.js';

/** Of the package; the bundler writes it here. */
declare const KEYSWEEP_VERSION: string;

/** A run on a GPU, and what it has found so far. */
export interface GpuRecord<Result> extends Omit<BenchmarkRecord, 'results'> {
  readonly gpu: GpuDescription;
  /** Bytes a millisecond, read and written ones counted, where floors were compared with it. */
  readonly copyRate: number | undefined;
  /** What another program took on this GPU; none where nobody told. */
  readonly reference: readonly ReferenceTime[];
  readonly results: Result[];
}

/** What was measured of RadixSorter for one definition, in milliseconds of one sort. */
export interface GpuResult extends GpuDefinition {
  readonly backend: 'webgpu';
  /** Who told the times in `ours`. */
  readonly clock: Clock;
  /** Sorts in a sample. */
  readonly calls: number;
  readonly ours: readonly number[];
  /** From `submit` to the news that it is done, on the host's clock. */
  readonly latency: readonly number[];
  readonly kernels: readonly KernelShare[];
  readonly verified: boolean;
}

export function newRecord<Result>(
  gpu: GpuDescription,
  seed: number,
  copyRate?: number,
  reference: readonly ReferenceTime[] = [],
): GpuRecord<Result> {
  return {
    date: new Date().toISOString(),
    version: KEYSWEEP_VERSION,
    seed,
    machine: describeMachine(),
    gpu,
    copyRate,
    reference,
    results: [],
  };
}

/** Adds a result, and writes the whole record to `path`, if there is one: a run that is stopped leaves what it has. */
export function addResult<Result>(
  record: GpuRecord<Result>,
  result: Result,
  path: string | undefined,
): void {
  record.results.push(result);
  if (path !== undefined) writeFileSync(path, formatRecord(record));
}
