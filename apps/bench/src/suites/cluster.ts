/** `cluster`: `submitSort` by several workers, and `sortFile`, on this machine. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClusterReport, startLocalStore, submitSort } from '@keysweep/cluster';
import { childFlags, sortFile } from '@keysweep/external';
import { suite } from '../measure/suite.js';
import type { Command } from '../program/command.js';
import { wholeNumber } from '../program/options.js';
import { faultOfFile, numbersAt } from './processes.js';

const WORKER = fileURLToPath(new URL('./cluster-worker.js', import.meta.url));

/** A sort of one file. */
export interface ClusterResult {
  /** 0: `sortFile`, without a cluster. */
  readonly workers: number;
  readonly count: number;
  readonly milliseconds: number;
  readonly verified: boolean;
}

/** A cluster's report; undefined of `sortFile`. */
type Outcome = ClusterReport | undefined;

export const command: Command = suite({
  help: `Makes a file of random 64-bit integers, and sorts it by sortFile, then by workers in
processes of their own, with PostgreSQL of npm as the store. Data goes through the same folder.
Checks the order and the checksum of every output.

  --count N       values (64000000, which are 512 MB)
  --workers LIST  how many workers, one run for each (1,2,4)
  --parts N       parts to sort (64)
  --memory N      bytes of memory for sortFile and for each job (67108864)
  --folder PATH   where files are made (the system's for temporary files)`,
  flags: {
    ...{ count: '64000000', workers: '1,2,4', parts: '64', memory: '67108864' },
    folder: tmpdir(),
  },
  open(values) {
    const count = wholeNumber('--count', values.count, 1);
    const workers = values.workers.split(',').map((one) => wholeNumber('--workers', one, 1));
    const parts = wholeNumber('--parts', values.parts, 1);
    const memory = wholeNumber('--memory', values.memory, 65_536);
    const folder = mkdtempSync(join(values.folder, 'keysweep-bench-'));
    const [input, output] = [join(folder, 'in'), join(folder, 'out')] as const;
    const plan = { type: 'u64', memory } as const;
    const checksum = numbersAt(input, count);
    const sortBy = async (some: number): Promise<Outcome> => {
      if (some > 0) return byWorkers(some, { ...plan, input, output, parts });
      await sortFile(input, output, plan);
      return undefined;
    };
    return {
      columns: [{ title: 'stages', width: 6, align: 'left' }],
      cases: [
        {
          name: `${count} values`,
          samples: 1,
          warmUps: 0,
          async makeRound() {
            const sum = await checksum();
            return {
              ways: [0, ...workers].map((some) => ({
                name: some === 0 ? 'sortFile' : `${some} workers`,
                run: () => sortBy(some),
              })),
              check: () => faultOfFile(output, count, sum),
            };
          },
          // The report's time: the workers' start, and their first sort, do not count.
          timeOf: (report: Outcome) => report?.milliseconds.total,
          noteOf: (report: Outcome) => report,
          cellsOf({ notes }) {
            const report = notes.at(-1) as Outcome;
            if (report === undefined) return [''];
            const { total: _, ...stages } = report.milliseconds;
            return [JSON.stringify({ ...stages, imbalance: report.imbalance })];
          },
          resultsOf: (timings): readonly ClusterResult[] =>
            timings.flatMap(({ milliseconds, fault }, i) =>
              milliseconds.map((time) => ({
                workers: [0, ...workers][i] as number,
                ...{ count, milliseconds: time, verified: fault === undefined },
              })),
            ),
        },
      ],
      close: async () => rmSync(folder, { recursive: true }),
    };
  },
});

/** Sorts twice by as many workers: the first time they load what they need. */
async function byWorkers(
  count: number,
  plan: Parameters<typeof submitSort>[1],
): Promise<ClusterReport> {
  const folder = dirname(plan.output as string);
  const { connection, stop } = await startLocalStore();
  const children = Array.from({ length: count }, () =>
    fork(WORKER, [connection, folder], { execArgv: childFlags() }),
  );
  const reports: ClusterReport[] = [];
  try {
    for (let i = 0; i < 2; i++) {
      await submitSort(connection, { ...plan, onReport: (report) => void reports.push(report) });
    }
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
    for (const child of children) if (child.exitCode === null) await once(child, 'exit');
    await stop();
  }
  return reports[1] as ClusterReport;
}
