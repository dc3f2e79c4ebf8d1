/** `processes`: `sortFile` by child processes of this machine, on GPUs and on the CPU. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkFile, type FileReport, type ProcessReport } from '@keysweep/external';
import { processesOf, type SortedFile, sortAlone, sortedOf } from '../commands/sort-file.js';
import { writeNumbers } from '../inputs/numbers-file.js';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { wholeNumber } from '../program/options.js';

/** Sorts of one file by the same processes. */
export interface ProcessesResult {
  /** What `--runs` calls them. */
  readonly run: string;
  readonly count: number;
  /** Bytes that all of them may take. */
  readonly memory: number;
  readonly milliseconds: readonly number[];
  readonly stages: readonly FileReport['milliseconds'][];
  readonly peaks: readonly number[];
  readonly gpus: SortedFile['gpus'];
  readonly parts: number;
  readonly imbalance: number;
  /** That divided the file. */
  readonly threads: number;
  readonly processes: readonly ProcessReport[];
  readonly verified: boolean;
}

export const command: Command = suite({
  help: `Makes a file of random 64-bit integers, and sorts it by child processes of sortFile. Each
run is in a process of its own, which starts those that it names. Checks the order and the checksum
of every output.

  --count N       values (134217728, which are 1 GiB)
  --memory N      bytes of memory for all processes of a run (1073741824)
  --runs LIST     what is run, with commas: 'alone' is sortFile without processes; others name
                  processes: 'cpu+cpu' are two of the CPU, 'gpu0+gpu1+cpu12' one on each of two
                  GPUs and one on 12 threads of the CPU (alone,cpu,cpu+cpu)
  --folder PATH   where files are made (the system's for temporary files)`,
  flags: {
    count: String(2 ** 27),
    memory: String(2 ** 30),
    runs: 'alone,cpu,cpu+cpu',
    folder: tmpdir(),
  },
  open(values) {
    const count = wholeNumber('--count', values.count, 1);
    const memory = wholeNumber('--memory', values.memory, 65_536);
    const runs = values.runs.split(',');
    for (const one of runs) processesOf(one);
    const folder = mkdtempSync(join(values.folder, 'keysweep-bench-'));
    const input = join(folder, 'in');
    const checksum = numbersAt(input, count);
    const seconds = ({ report }: SortedFile): string =>
      (['sample', 'partition', 'sort'] as const)
        .map((stage) => (report.milliseconds[stage] / 1000).toFixed(2))
        .join(' + ');
    return {
      intro: 'Stages are sample, partition and sort, in seconds.',
      columns: [
        { title: 'stages', width: 20, align: 'left' },
        { title: 'peak', width: 8, align: 'right' },
        { title: 'parts', width: 5, align: 'right' },
        { title: 'divided by', width: 10, align: 'left' },
      ],
      cases: [
        {
          name: `${count} values`,
          samples: 1,
          warmUps: 0,
          async makeRound() {
            const sum = await checksum();
            return {
              ways: runs.map((name) => ({ name, run: () => sortAlone(input, memory, name) })),
              check: () => faultOfFile(sortedOf(input), count, sum),
            };
          },
          timeOf: ({ milliseconds }: SortedFile) => milliseconds,
          noteOf: (sorted: SortedFile) => sorted,
          cellsOf({ notes }) {
            const last = notes.at(-1) as SortedFile;
            const { parts, threads } = last.report;
            const peak = `${Math.round(last.peak / 1e6)} MB`;
            return [seconds(last), peak, `${parts}`, `${threads} threads`];
          },
          resultsOf: (timings): readonly ProcessesResult[] =>
            timings.map(({ name, milliseconds, notes, fault }) => {
              const all = notes as readonly SortedFile[];
              const { gpus, report } = all.at(-1) ?? { gpus: {}, report: undefined };
              const { parts = 0, imbalance = 0, threads = 0, processes = [] } = report ?? {};
              return {
                ...{ run: name, count, memory, gpus, parts, imbalance, threads, processes },
                milliseconds,
                stages: all.map((one) => one.report.milliseconds),
                peaks: all.map(({ peak }) => peak),
                verified: fault === undefined,
              };
            }),
        },
      ],
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

/** Makes a file of random u64 when it is first called; resolves to the file's checksum. */
export function numbersAt(path: string, count: number): () => Promise<bigint> {
  let checksum: Promise<bigint> | undefined;
  const make = async (): Promise<bigint> => {
    writeNumbers(path, count);
    return (await checkFile(path, { type: 'u64' })).checksum;
  };
  return () => {
    checksum ??= make();
    return checksum;
  };
}

/** What is wrong with a sorted file of `count` u64 with such a checksum, or undefined. */
export async function faultOfFile(
  path: string,
  count: number,
  checksum: bigint,
): Promise<string | undefined> {
  const after = await checkFile(path, { type: 'u64' });
  if (after.records !== count) return `it has ${after.records} values instead of ${count}`;
  if (after.misplaced !== -1) return `value ${after.misplaced} is smaller than the one before`;
  return after.checksum === checksum ? undefined : 'its checksum is not that of the input';
}
