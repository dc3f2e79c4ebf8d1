/** Records of measurements on a GPU: as those of `npm run bench`, and more. */

import { writeFileSync } from 'node:fs';
import {
  type BenchmarkRecord,
  describeMachine,
  formatRecord,
  type RecordedResult,
} from '../record.js';
import type { GpuDescription } from './machine.js';

/** Of the package; the bundler writes it here. */
declare const KEYSWEEP_VERSION: string;

/** A run on a GPU, and what it has found so far. */
export interface GpuRecord extends BenchmarkRecord {
  readonly gpu: GpuDescription;
  /** Bytes a millisecond, read and written ones counted, where floors were compared with it. */
  readonly copyRate: number | undefined;
  readonly results: RecordedResult[];
}

export function newRecord(gpu: GpuDescription, seed: number, copyRate?: number): GpuRecord {
  return {
    date: new Date().toISOString(),
    version: KEYSWEEP_VERSION,
    seed,
    machine: describeMachine(),
    gpu,
    copyRate,
    results: [],
  };
}

/** Adds a result, and writes the whole record to `path`, if there is one: a run that is stopped leaves what it has. */
export function addResult(
  record: GpuRecord,
  result: RecordedResult,
  path: string | undefined,
): void {
  record.results.push(result);
  if (path !== undefined) writeFileSync(path, formatRecord(record));
}
