/** `keysweep submit`: gives a sort to workers, or to those that it starts itself. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { childFlags } from '@keysweep/external';
import {
  type ClusterProgress,
  type ClusterReport,
  startLocalStore,
  submitSort,
} from '@keysweep/external/cluster';
import type { SubmitCommand } from '../arguments/command.js';
import { remoteStorage } from '../io/addresses.js';
import { untilInterrupt } from '../io/interrupt.js';
import { createProgress } from '../text/progress.js';
import { formatClusterReport } from '../text/report.js';

const DOING: Readonly<Record<ClusterProgress['phase'], string>> = {
  sample: 'sampling',
  partition: 'dividing',
  sort: 'sorting',
  write: 'writing',
};

/**
 * Carries out `command`. An interrupt ends the sort on all workers first.
 * @throws ExternalError; the output is then as it was before
 */
export async function runSubmit(command: SubmitCommand): Promise<void> {
  const { at } = command;
  return untilInterrupt((signal) =>
    'local' in at
      ? withLocal(at.local, (connection) => submit(command, connection, signal))
      : submit(command, at.connection, signal),
  );
}

async function submit(
  { paths, output, layout, order, memory, parts, tmp, report }: SubmitCommand,
  connection: string,
  signal: AbortSignal,
): Promise<void> {
  const progress = createProgress(process.stderr);
  let given: ClusterReport | undefined;
  try {
    await submitSort(connection, {
      input: paths,
      output,
      ...layout,
      order,
      ...(memory !== undefined && { memory }),
      ...(parts !== undefined && { parts }),
      ...(tmp !== undefined && { tmp }),
      storage: remoteStorage(),
      signal,
      onProgress: ({ phase, completed, total }) =>
        progress.update({ doing: DOING[phase], completed, total, unit: 'steps' }),
      onReport: (of) => {
        given = of;
      },
    });
  } finally {
    progress.clear();
  }
  if (report && given !== undefined) process.stderr.write(formatClusterReport(given));
}

/** Does `work` with a store and workers of its own, which end with it, or with this process. */
async function withLocal(
  workers: number,
  work: (connection: string) => Promise<void>,
): Promise<void> {
  const { connection, stop } = await startLocalStore();
  const children: ChildProcess[] = [];
  try {
    const program = process.argv[1] as string;
    // The address has a password: others can see arguments, but not the environment.
    const env = { ...process.env, KEYSWEEP_CONNECTION: connection };
    const options = { env, execArgv: childFlags() };
    for (let i = 0; i < workers; i++) children.push(fork(program, ['worker'], options));
    await work(connection);
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
    await Promise.all(
      children.map(({ exitCode, signalCode }, i) =>
        exitCode === null && signalCode === null ? once(children[i] as ChildProcess, 'exit') : [],
      ),
    );
    await stop();
  }
}
