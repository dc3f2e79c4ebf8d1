/** `cluster`: `submitSort` by several workers, and `sortFile`, on this machine. */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type ClusterReport, startLocalStore, submitSort } from '@keysweep/cluster';
import { checkFile, childFlags, sortFile } from '@keysweep/external';
import { writeNumbers } from '../inputs/numbers-file.js';
import { wholeNumber } from '../program/options.js';
import { formatTime } from '../program/table.js';
import { addResult, newRecord } from '../record/record.js';

export const help: string = `Makes a file of random 64-bit integers, and sorts it by sortFile, then
by workers in processes of their own, with PostgreSQL of npm as the store. Data goes through the
same folder. Checks the order and the checksum of every output.

  --count N       values (64000000, which are 512 MB)
  --workers LIST  how many workers, one run for each (1,2,4)
  --parts N       parts to sort (64)
  --memory N      bytes of memory for sortFile and for each job (67108864)
  --folder PATH   where files are made (the system's for temporary files)
  --json FILE     writes the times`;

const WORKER = fileURLToPath(new URL('./cluster-worker.js', import.meta.url));

/** A sort of one file. */
export interface ClusterResult {
  /** 0: `sortFile`, without a cluster. */
  readonly workers: number;
  readonly count: number;
  readonly milliseconds: number;
  readonly verified: boolean;
}

export async function run(args: string[]): Promise<boolean> {
  const text = { type: 'string' } as const;
  const { values: given } = parseArgs({
    args,
    options: {
      count: { ...text, default: '64000000' },
      workers: { ...text, default: '1,2,4' },
      parts: { ...text, default: '64' },
      memory: { ...text, default: '67108864' },
      folder: { ...text, default: tmpdir() },
      json: text,
    },
  });
  const count = wholeNumber('--count', given.count, 1);
  const workers = given.workers.split(',').map((one) => wholeNumber('--workers', one, 1));
  const parts = wholeNumber('--parts', given.parts, 1);
  const memory = wholeNumber('--memory', given.memory, 65_536);
  const folder = mkdtempSync(join(given.folder, 'keysweep-bench-'));
  const [input, output] = [join(folder, 'in'), join(folder, 'out')] as const;
  const plan = { type: 'u64', memory } as const;
  try {
    writeNumbers(input, count);
    const { checksum } = await checkFile(input, { type: 'u64' });
    let areRight = true;
    const record = newRecord<ClusterResult, object>(0, {});
    const print = async (one: number, milliseconds: number, more = ''): Promise<void> => {
      const after = await checkFile(output, { type: 'u64' });
      const isRight = after.misplaced === -1 && after.checksum === checksum;
      areRight &&= isRight;
      addResult(record, { workers: one, count, milliseconds, verified: isRight }, given.json);
      const what = one === 0 ? 'sortFile' : `${one} workers`;
      const rate = `${((8 * count) / 1000 / milliseconds).toFixed(1)} MB/s`.padStart(12);
      console.log(
        `${what.padEnd(10)}${formatTime(milliseconds).padStart(9)}${rate}  ` +
          `${isRight ? 'right' : 'WRONG'}${more}`,
      );
    };
    const start = performance.now();
    await sortFile(input, output, plan);
    await print(0, performance.now() - start);
    for (const one of workers) {
      const report = await byWorkers(one, { ...plan, input, output, parts });
      const { milliseconds, imbalance } = report;
      const { total, ...stages } = milliseconds;
      await print(one, total, `  ${JSON.stringify({ ...stages, imbalance })}`);
    }
    return areRight;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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
