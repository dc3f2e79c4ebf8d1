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
  threadsOf,
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
  report: { type: 'boolean' },
} as const;

export function parseSubmit(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: SUBMIT_OPTIONS, allowPositionals: true }),
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
    report: values.report ?? false,
  };
}

export function parseWorker(args: string[]): Command {
  const text = { type: 'string' } as const;
  const numbers = { concurrency: text, threads: text, gpu: text };
  const root = { ...text, multiple: true } as const;
  const options = { ...HELP_OPTION, connection: text, root, ...numbers };
  const { values } = withUsageErrors(() => parseArgs({ args, options }));
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
