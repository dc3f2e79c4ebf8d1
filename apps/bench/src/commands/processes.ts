/** `processes`: `sortFile` by child processes of this machine, on GPUs and on the CPU. */

import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { median } from '@keysweep/conformance/statistics';
import {
  checkFile,
  type FileReport,
  type ProcessReport,
  type SortProcess,
  sortFile,
} from '@keysweep/external';
import { writeNumbers } from '../inputs/numbers-file.js';
import { wholeNumber } from '../program/options.js';
import { formatTime } from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';

export const help: string = `Makes a file of random 64-bit integers, and sorts it by child processes
of sortFile. Each run is in a process of its own, which starts those that it names. The runs change
by turns. Checks the order and the checksum of every output, all at once at the end.

  --count N       values (134217728, which are 1 GiB)
  --memory N      bytes of memory for all processes of a run (1073741824)
  --runs LIST     what is run, with commas: 'alone' is sortFile without processes; others name
                  processes: 'cpu+cpu' are two of the CPU, 'gpu0+gpu1+cpu12' one on each of two
                  GPUs and one on 12 threads of the CPU (alone,cpu,cpu+cpu)
  --samples N     sorts of each (1)
  --folder PATH   where files are made (the system's for temporary files)
  --json FILE     writes the samples
  --only FILE     only sorts FILE to FILE.sorted by the processes of --runs; prints JSON
  --check FILE    only checks FILE; prints JSON`;

/** The number of NVIDIA's kind of device files. */
const NVIDIA = 195;

/** Sorts of one file by the same processes. */
export interface ProcessesResult {
  /** What `--runs` calls them. */
  readonly run: string;
  readonly count: number;
  /** Bytes that all of them may take. */
  readonly memory: number;
  readonly milliseconds: readonly number[];
  readonly stages: readonly FileReport['milliseconds'][];
  /** Most bytes of memory that all processes of the run had, each at its own peak. */
  readonly peaks: readonly number[];
  /** Which of NVIDIA's device files each process had open, by its number. */
  readonly gpus: Readonly<Record<number, readonly number[]>>;
  readonly parts: number;
  readonly imbalance: number;
  /** That divided the file. */
  readonly threads: number;
  readonly processes: readonly ProcessReport[];
  readonly verified: boolean;
}

/** What a process that only sorts prints. */
interface Outcome {
  readonly milliseconds: number;
  readonly peak: number;
  readonly gpus: ProcessesResult['gpus'];
  readonly report: FileReport;
}

/** What a process that only checks prints. */
interface Check {
  readonly misplaced: number;
  readonly records: number;
  readonly checksum: string;
}

export async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values: given } = parseArgs({
    args,
    options: {
      count: { ...text, default: String(2 ** 27) },
      memory: { ...text, default: String(2 ** 30) },
      runs: { ...text, default: 'alone,cpu,cpu+cpu' },
      samples: { ...text, default: '1' },
      folder: { ...text, default: tmpdir() },
      json: text,
      only: text,
      check: text,
    },
  });
  const memory = wholeNumber('--memory', given.memory, 65_536);
  if (given.check !== undefined) {
    const { misplaced, records, checksum } = await checkFile(given.check, { type: 'u64' });
    console.log(JSON.stringify({ misplaced, records, checksum: String(checksum) }));
    return true;
  }
  if (given.only !== undefined) {
    console.log(JSON.stringify(await sortOnce(given.only, given.runs, memory)));
    return true;
  }
  const count = wholeNumber('--count', given.count, 1);
  const samples = wholeNumber('--samples', given.samples, 1);
  const runs = given.runs.split(',');
  for (const one of runs) processesOf(one);
  const folder = mkdtempSync(join(given.folder, 'keysweep-bench-'));
  const input = join(folder, 'in');
  try {
    writeNumbers(input, count);
    const outcomes = new Map<string, Outcome[]>(runs.map((one) => [one, []]));
    for (let sample = 0; sample < samples; sample++) {
      for (const one of sample % 2 === 0 ? runs : [...runs].reverse()) {
        const sorting = ['--only', input, '--runs', one, '--memory', String(memory)];
        const outcome = await program<Outcome>(sorting);
        outcomes.get(one)?.push(outcome);
        // The last output of each is kept for the check.
        renameSync(`${input}.sorted`, join(folder, one));
        console.log(`${one.padEnd(16)}${formatTime(outcome.milliseconds)}`);
      }
    }
    const [before, ...after] = await Promise.all(
      ['in', ...runs].map((name) => program<Check>(['--check', join(folder, name)])),
    );
    const record = newRecord<ProcessesResult, object>(0, {});
    for (const [i, one] of runs.entries()) {
      const check = after[i] as Check;
      const isSame = check.checksum === before?.checksum && check.records === count;
      const verified = check.misplaced === -1 && isSame;
      const result = resultOf(one, count, memory, outcomes.get(one) as Outcome[], verified);
      addResult(record, result, given.json);
      console.log(lineOf(result));
      for (const each of result.processes)
        console.log(`  ${JSON.stringify({ ...each, opened: result.gpus[each.pid] })}`);
    }
    return record.results.every(({ verified }) => verified);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function resultOf(
  one: string,
  count: number,
  memory: number,
  outcomes: readonly Outcome[],
  verified: boolean,
): ProcessesResult {
  const { gpus, report } = outcomes.at(-1) as Outcome;
  const { parts, imbalance, threads, processes } = report;
  return {
    ...{ run: one, count, memory, gpus, parts, imbalance, threads, processes, verified },
    milliseconds: outcomes.map(({ milliseconds }) => milliseconds),
    stages: outcomes.map(({ report }) => report.milliseconds),
    peaks: outcomes.map(({ peak }) => peak),
  };
}

function lineOf({
  run: one,
  count,
  milliseconds,
  stages,
  peaks,
  verified,
  ...more
}: ProcessesResult) {
  const time = median(milliseconds);
  const { sample, partition, sort } = stages.at(-1) as FileReport['milliseconds'];
  const seconds = [sample, partition, sort].map((stage) => (stage / 1000).toFixed(2)).join(' + ');
  return (
    `${one.padEnd(16)}${formatTime(time).padStart(9)} = ${seconds} s (sample, partition, sort)  ` +
    `${((8 * count) / 1e6 / time).toFixed(2)} GB/s  at most ` +
    `${Math.round(Math.max(...peaks) / 1e6)} MB  ${more.parts} parts, imbalance ` +
    `${more.imbalance.toFixed(2)}, divided by ${more.threads} threads  ` +
    `${verified ? 'right' : 'WRONG'}`
  );
}

/** What 'gpu0+cpu' says; undefined for 'alone'. @throws Error for what says nothing */
function processesOf(given: string): readonly SortProcess[] | undefined {
  if (given === 'alone') return undefined;
  return given.split('+').map((one) => {
    const [, gpu] = /^gpu(\d+)$/.exec(one) ?? [];
    if (gpu !== undefined) return { gpu: Number(gpu) };
    const [cpu, threads] = /^cpu(\d*)$/.exec(one) ?? [];
    if (cpu !== undefined) return threads ? { threads: Number(threads) } : {};
    throw new Error(
      `--runs has '${one}'; each is 'alone', 'cpu', 'cpu8' or 'gpu0' and so on, joined by +`,
    );
  });
}

/** Sorts a file of u64 by processes of this one. */
async function sortOnce(input: string, runs: string, memory: number): Promise<Outcome> {
  const processes = processesOf(runs);
  const peaks = new Map<number, number>();
  const gpus: Record<number, readonly number[]> = {};
  let report: FileReport | undefined;
  const start = performance.now();
  await sortFile(input, `${input}.sorted`, {
    type: 'u64',
    memory,
    ...(processes !== undefined && { processes }),
    onProgress: ({ phase }) => {
      if (phase !== 'sort') return;
      for (const pid of [process.pid, ...childrenOf(process.pid)]) {
        peaks.set(pid, peakOf(pid));
        gpus[pid] ??= gpusOf(pid);
      }
    },
    onReport: (given) => {
      report = given;
    },
  });
  const milliseconds = performance.now() - start;
  const peak = [...peaks.values()].reduce((sum, one) => sum + one, 0);
  return { milliseconds, peak, gpus, report: report as FileReport };
}

/** Child processes, where Linux says. */
function childrenOf(pid: number): number[] {
  const listed = readOrNothing(`/proc/${pid}/task/${pid}/children`).trim();
  return listed === '' ? [] : listed.split(' ').map(Number);
}

/** Most bytes of memory that a process had, where Linux says; 0 for one that has ended. */
function peakOf(pid: number): number {
  const [, kilobytes = '0'] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readOrNothing(`/proc/${pid}/status`)) ?? [];
  return 1024 * Number(kilobytes);
}

/** The numbers of NVIDIA's GPUs that a process has open, where Linux says. */
function gpusOf(pid: number): number[] {
  try {
    const devices = readdirSync(`/proc/${pid}/fd`).map((fd) => {
      const { rdev } = statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false }) ?? { rdev: 0 };
      return [rdev >> 8, rdev & 255] as const;
    });
    // 255 is the file that controls all of them.
    const open = devices.filter(([major, minor]) => major === NVIDIA && minor < 255);
    return [...new Set(open.map(([, minor]) => minor))].sort();
  } catch {
    return [];
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** What this subcommand prints in a process of its own. */
async function program<T>(args: readonly string[]): Promise<T> {
  const all = [process.argv[1] as string, 'processes', ...args];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, all);
  process.stderr.write(stderr);
  return JSON.parse(stdout) as T;
}
