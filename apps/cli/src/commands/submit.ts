/** `keysweep submit`: gives a sort to workers, or to those that it starts itself. */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import {
  type ClusterProgress,
  type ClusterReport,
  startLocalStore,
  submitSort,
} from '@keysweep/cluster';
import { childFlags } from '@keysweep/external';
import { isAddress, Target } from '@keysweep/external/storage';
import type { SubmitCommand } from '../arguments/command.js';
import { Failure, failureOf } from '../failure.js';
import { remoteStorage } from '../io/addresses.js';
import { untilInterrupt } from '../io/interrupt.js';
import { say } from '../io/terminal.js';
import { onlyGiven } from '../only-given.js';
import { createProgress } from '../text/progress.js';
import { formatClusterReport, jsonOf } from '../text/report.js';

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
  // The list of processes shows arguments, and so a password in --connection.
  process.title = 'keysweep submit';
  return untilInterrupt(async (signal) =>
    'local' in at
      ? withLocal(at.local, await rootsOf(command), (connection, ended) =>
          submit(command, connection, AbortSignal.any([signal, ended])),
        )
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
      ...onlyGiven({ memory, parts, tmp }),
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
  if (report !== undefined && given !== undefined) {
    say(report === 'json' ? jsonOf(given) : formatClusterReport(given));
  }
}

/** The folders that the workers of a sort read and write. @throws Failure if one is not there */
async function rootsOf({ paths, output, tmp }: SubmitCommand): Promise<readonly string[]> {
  const roots = [
    ...paths.map((path) => rootOf(path, `cannot read '${path}'`)),
    rootOf(output, `cannot write '${output}'`),
    ...(tmp === undefined ? [] : [isAddress(tmp) ? tmp : resolve(tmp)]),
  ];
  return [...new Set(await Promise.all(roots))];
}

/** The folder of a file, after links. */
async function rootOf(name: string, what: string): Promise<string> {
  if (isAddress(name)) return name.replace(/^(.+:\/\/.+)\/[^/]*$/, '$1');
  try {
    const target = new Target(resolve(name));
    await target.close();
    return target.folder;
  } catch (error) {
    throw failureOf(what, error);
  }
}

/**
 * Does `work` with a store and workers of its own, which end with it, or with this process. `ended`
 * aborts when no worker is left, because nobody would do the rest.
 */
async function withLocal(
  workers: number,
  roots: readonly string[],
  work: (connection: string, ended: AbortSignal) => Promise<void>,
): Promise<void> {
  const { connection, stop } = await startLocalStore();
  const children: ChildProcess[] = [];
  try {
    const program = process.argv[1] as string;
    // The address has a password: others can see arguments, but not the environment.
    const env = { ...process.env, KEYSWEEP_CONNECTION: connection };
    const args = ['worker', ...roots.map((root) => `--root=${root}`)];
    const options = { env, execArgv: childFlags() };
    for (let i = 0; i < workers; i++) children.push(fork(program, args, options));
    const ended = new AbortController();
    let left = children.length;
    for (const child of children) {
      child.once('error', (error) => ended.abort(failureOf('cannot start a worker', error)));
      child.once('exit', (code, signal) => {
        if (--left > 0) return;
        const why = `the last with ${signal ?? `exit code ${code}`}`;
        ended.abort(new Failure(`all workers of the sort have ended, ${why}`));
      });
    }
    await work(connection, ended.signal);
  } finally {
    for (const child of children) if (child.connected) child.disconnect();
    await Promise.all(
      children.map((child) => {
        // One that could not be started has no process, and never ends.
        const isRunning = child.exitCode === null && child.signalCode === null;
        return child.pid !== undefined && isRunning ? once(child, 'exit') : [];
      }),
    );
    await stop();
  }
}
