/**
 * Records: a run's samples beside the machine that they were taken on, as JSON. See ../../records.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os';
import { dirname } from 'node:path';

/** A run, and what it has measured so far. */
export interface BenchmarkRecord<Result> {
  /** When the run began: ISO 8601, UTC. */
  readonly date: string;
  /** keysweep's. */
  readonly version: string;
  /** Of the random inputs. */
  readonly seed: number;
  readonly machine: Machine;
  readonly results: Result[];
}

/** Where it ran. */
export interface Machine {
  /** As the operating system calls it. */
  readonly cpu: string;
  /** Threads that Node may use. */
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

/** A run in a line, for people. */
export const nameRun = ({ machine, seed }: Pick<BenchmarkRecord<never>, 'machine' | 'seed'>) =>
  `${machine.cpu}, ${machine.cores} cores, Node.js ${machine.node}; seed ${seed}.`;

/** Written here by the bundler; not defined elsewhere. */
declare const KEYSWEEP_VERSION: string | undefined;

/** The version that is being measured. */
function packageVersion(): string {
  if (typeof KEYSWEEP_VERSION === 'string') return KEYSWEEP_VERSION;
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
}

/** A record of a run that begins now, with `more` of what it is about. */
export function newRecord<Result, More extends object>(
  seed: number,
  more: More,
): BenchmarkRecord<Result> & More {
  return {
    date: new Date().toISOString(),
    version: packageVersion(),
    seed,
    machine: describeMachine(),
    ...more,
    results: [],
  };
}

/**
 * Adds a result. Writes the whole record to `path`, if there is one, so that a run that is stopped
 * leaves what it has.
 */
export function addResult<Result>(
  record: BenchmarkRecord<Result>,
  result: Result,
  path: string | undefined,
): void {
  record.results.push(result);
  if (path === undefined) return;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, formatRecord(record));
}

/** JSON with the samples of a result on one line, so that records can be read and compared. */
export function formatRecord(record: { readonly results: readonly unknown[] }): string {
  const { results, ...head } = record;
  const lines = results.map((result) => `    ${JSON.stringify(result, roundSample)}`);
  const body = JSON.stringify(head, null, 2).slice(0, -2);
  return `${body},\n  "results": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

/** To nanoseconds: clocks are no finer. */
function roundSample(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toFixed(6)) : value;
}
