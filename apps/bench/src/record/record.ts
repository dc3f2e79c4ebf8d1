/** A benchmark's raw numbers beside the machine that they were taken on, as JSON. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { BackendName } from 'keysweep';
import type { Definition } from '../inputs/definitions.js';

/** One definition with its samples: milliseconds a call, one number a sample. */
export interface RecordedResult extends Definition {
  /** The backend that 'auto' chose. */
  readonly backend: BackendName;
  readonly calls: number;
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly verified: boolean;
}

/** A benchmark run. */
export interface BenchmarkRecord<Result = RecordedResult> {
  readonly date: string;
  readonly version: string;
  readonly seed: number;
  readonly machine: Machine;
  readonly results: readonly Result[];
}

/** Where it ran. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  readonly node: string;
  readonly v8: string;
  readonly os: string;
}

/** This machine. */
export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() || 'unknown',
    cores: availableParallelism(),
    memory: totalmem(),
    node: process.versions.node,
    v8: process.versions.v8,
    os: `${platform()} ${release()} ${arch()}`,
  };
}

/** The version that is being measured. */
export function packageVersion(): string {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

const FOLDER = new URL('../../records/', import.meta.url);

/** Writes `record` among the others, under its date and `suffix`. Returns the path. */
export function writeRecord<Result>(record: BenchmarkRecord<Result>, suffix = ''): string {
  mkdirSync(FOLDER, { recursive: true });
  const name = `${record.date.slice(0, 19).replaceAll(':', '')}Z${suffix}.json`;
  const path = fileURLToPath(new URL(name, FOLDER));
  writeFileSync(path, formatRecord(record), { flag: 'wx' });
  return path;
}

/** JSON with the samples of a result on one line, so that records can be read and compared. */
export function formatRecord(record: { readonly results: readonly unknown[] }): string {
  const { results, ...head } = record;
  const lines = results.map((result) => `    ${JSON.stringify(result, roundSample)}`);
  const body = JSON.stringify(head, null, 2).slice(0, -2);
  return `${body},\n  "results": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** Nanoseconds are as fine as the clock goes. */
function roundSample(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(6)) : value;
}
