/** The arguments of `keysweep submit` and `keysweep worker`. */

import { parseArgs } from 'node:util';
import { UsageError } from '../failure.js';
import { parseBytes } from '../specs.js';
import type { Command } from './command.js';
import {
  countOf,
  HELP_OPTION,
  LAYOUT_OPTIONS,
  layoutOf,
  nameOf,
  type OptionTable,
  reportOf,
  threadsOf,
  withReport,
  withUsageErrors,
} from './options.js';

const SUBMIT_OPTIONS = {
  ...HELP_OPTION,
  ...LAYOUT_OPTIONS,
  output: { type: 'string', short: 'o' },
  connection: { type: 'string' },
  local: { type: 'string' },
  memory: { type: 'string' },
  parts: { type: 'string' },
  tmp: { type: 'string' },
  report: { type: 'string' },
} as const;
export const submitOptions: OptionTable = SUBMIT_OPTIONS;

export function parseSubmit(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args: withReport(args), options: SUBMIT_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'submit' };
  const paths = positionals.map((name) => nameOf('INPUT', name));
  const output = nameOf('--output', values.output);
  const [first] = paths;
  if (first === undefined || paths.includes(undefined) || output === undefined) {
    throw new UsageError('submit needs an INPUT and an --output that are files');
  }
  const order = values.descending || values.reverse ? 'descending' : 'ascending';
  const local = countOf('--local', values.local, 1);
  if (local !== undefined && values.connection !== undefined) {
    throw new UsageError('--local and --connection exclude each other');
  }
  return {
    name: 'submit',
    paths: paths as string[],
    output,
    layout: layoutOf('submit', first, values, order),
    order,
    at: local === undefined ? { connection: connectionOf(values.connection) } : { local },
    memory: values.memory === undefined ? undefined : parseBytes(values.memory),
    parts: countOf('--parts', values.parts, 1),
    tmp: nameOf('--tmp', values.tmp),
    report: reportOf(values.report),
  };
}

const WORKER_OPTIONS = {
  ...HELP_OPTION,
  connection: { type: 'string' },
  root: { type: 'string', multiple: true },
  concurrency: { type: 'string' },
  threads: { type: 'string' },
  gpu: { type: 'string' },
} as const;
export const workerOptions: OptionTable = WORKER_OPTIONS;

export function parseWorker(args: string[]): Command {
  const { values } = withUsageErrors(() => parseArgs({ args, options: WORKER_OPTIONS }));
  if (values.help) return { name: 'help', of: 'worker' };
  if (values.gpu !== undefined && values.threads !== undefined) {
    throw new UsageError('--threads are those of the CPU, but --gpu names a GPU');
  }
  const roots = (values.root ?? []).map((one) => nameOf('--root', one));
  if (roots.length === 0 || roots.includes(undefined)) {
    throw new UsageError(
      'worker needs --root, a folder or s3://BUCKET/PREFIX that jobs may read and write; it may ' +
        'be given several times',
    );
  }
  return {
    name: 'worker',
    connection: connectionOf(values.connection),
    roots: roots as string[],
    concurrency: countOf('--concurrency', values.concurrency, 1),
    threads: threadsOf({ threads: values.threads }),
    gpu: countOf('--gpu', values.gpu, 0),
  };
}

/** The address of the store, which the environment may name: it may hold a password. */
function connectionOf(given: string | undefined): string {
  const connection = given ?? process.env.KEYSWEEP_CONNECTION;
  if (connection !== undefined && connection !== '') return connection;
  throw new UsageError(
    '--connection, or KEYSWEEP_CONNECTION, must name a store, such as redis://127.0.0.1:6379',
  );
}
