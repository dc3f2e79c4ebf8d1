/**
 * `sort-file`: one sort of a file of u64 in a process that does nothing else, for the benchmarks
 * that want its time and its memory alone. Prints JSON.
 */

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { parseArgs, promisify } from 'node:util';
import { type FileReport, type SortProcess, sortFile } from '@keysweep/external';
import { peakOf } from '../measure/alone.js';
import { wholeNumber } from '../program/options.js';

export const help = `Sorts FILE, of u64, to FILE.sorted, and prints the time and the peak of memory
as JSON.

sort-file FILE
  --memory N     bytes of memory for all processes of the sort (67108864)
  --by NAMES     child processes: 'cpu+cpu', 'gpu0+gpu1+cpu12' (alone: this process)`;

/** What it prints. */
export interface SortedFile {
  readonly milliseconds: number;
  /** Most bytes of memory that all its processes had, each at its own peak. */
  readonly peak: number;
  /** Which of NVIDIA's device files each process had open, by its number. */
  readonly gpus: Readonly<Record<number, readonly number[]>>;
  readonly report: FileReport;
}

/** The number of NVIDIA's kind of device files. */
const NVIDIA = 195;

export const sortedOf = (path: string): string => `${path}.sorted`;

export async function run(args: string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      memory: { type: 'string', default: '67108864' },
      by: { type: 'string', default: 'alone' },
    },
  });
  const [file] = positionals;
  if (file === undefined) throw new Error('FILE is missing: what to sort');
  const memory = wholeNumber('--memory', values.memory, 65_536);
  console.log(JSON.stringify(await sortHere(file, values.by, memory)));
  return true;
}

/** The same in a process of its own. */
export async function sortAlone(file: string, memory: number, by = 'alone'): Promise<SortedFile> {
  const main = process.argv[1] as string;
  const args = [main, 'sort-file', file, '--memory', String(memory), '--by', by];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  process.stderr.write(stderr);
  return JSON.parse(stdout) as SortedFile;
}

/** What 'gpu0+cpu' says; undefined for 'alone'. @throws Error for what says nothing */
export function processesOf(given: string): readonly SortProcess[] | undefined {
  if (given === 'alone') return undefined;
  return given.split('+').map((one) => {
    const [, gpu] = /^gpu(\d+)$/.exec(one) ?? [];
    if (gpu !== undefined) return { gpu: Number(gpu) };
    const [cpu, threads] = /^cpu(\d*)$/.exec(one) ?? [];
    if (cpu !== undefined) return threads ? { threads: Number(threads) } : {};
    throw new Error(
      `'${one}' names no process: each is 'alone', 'cpu', 'cpu8' or 'gpu0' and so on, joined by +`,
    );
  });
}

/** Sorts a file of u64 in this process, or by child processes. */
async function sortHere(input: string, by: string, memory: number): Promise<SortedFile> {
  const processes = processesOf(by);
  const peaks = new Map<number, number>();
  const gpus: Record<number, readonly number[]> = {};
  const look = (pids: readonly number[]): void => {
    for (const pid of pids) {
      peaks.set(pid, peakOf(pid));
      if (processes !== undefined) gpus[pid] ??= gpusOf(pid);
    }
  };
  let report: FileReport | undefined;
  const start = performance.now();
  await sortFile(input, sortedOf(input), {
    type: 'u64',
    memory,
    ...(processes !== undefined && { processes }),
    onProgress({ phase }) {
      // Reading this takes time, which a sort without other processes does not need to give.
      if (processes !== undefined && phase === 'sort') {
        look([process.pid, ...childrenOf(process.pid)]);
      }
    },
    onReport(given) {
      report = given;
    },
  });
  const milliseconds = performance.now() - start;
  look([process.pid]);
  const peak = [...peaks.values()].reduce((sum, one) => sum + one, 0);
  return { milliseconds, peak, gpus, report: report as FileReport };
}

/** Child processes, where Linux says. */
function childrenOf(pid: number): number[] {
  const listed = readOrNothing(`/proc/${pid}/task/${pid}/children`).trim();
  return listed === '' ? [] : listed.split(' ').map(Number);
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
