/** Parses the command line, before any work begins. */

import { parseArgs } from 'node:util';
import { UsageError } from '../failure.js';
import { parseSubmit, parseWorker } from './cluster.js';
import type { Command } from './command.js';
import {
  countOf,
  HELP_OPTION,
  LAYOUT_OPTIONS,
  layoutOf,
  nameOf,
  pathOf,
  withUsageErrors,
} from './options.js';
import { parseSort } from './sort.js';

const COMMANDS = 'sort, check, gen, submit, worker, doctor and help';

/**
 * The command in `argv`, which is without node and the script.
 * @throws UsageError when it is not a valid command line
 */
export function parseCommand(argv: readonly string[]): Command {
  const [name, ...rest] = argv;
  switch (name) {
    case 'sort':
      return parseSort(rest);
    case 'check':
      return parseCheck(rest);
    case 'gen':
      return parseGen(rest);
    case 'submit':
      return parseSubmit(rest);
    case 'worker':
      return parseWorker(rest);
    case 'doctor':
      return parseDoctor(rest);
    case 'help':
    case '--help':
    case '-h':
      return { name: 'help' };
    case '--version':
    case '-V':
      return { name: 'version' };
    case undefined:
      throw new UsageError(`no command given; the commands are ${COMMANDS}`);
    default:
      throw new UsageError(`unknown command '${name}'; the commands are ${COMMANDS}`);
  }
}

const CHECK_OPTIONS = {
  ...HELP_OPTION,
  ...LAYOUT_OPTIONS,
  sum: { type: 'boolean' },
} as const;

function parseCheck(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: CHECK_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'check' };
  const path = nameOf('INPUT', positionals[0]);
  if (path === undefined || positionals.length > 1) {
    throw new UsageError('check needs one INPUT, which is a file');
  }
  const order = values.descending || values.reverse ? 'descending' : 'ascending';
  const layout = layoutOf('check', path, values, order);
  return { name: 'check', path, layout, order, sum: values.sum ?? false };
}

function parseGen(args: string[]): Command {
  const options = {
    ...HELP_OPTION,
    seed: { type: 'string' },
    output: { type: 'string', short: 'o' },
  } as const;
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'gen' };
  const [records, more] = positionals;
  if (records === undefined || more !== undefined) {
    throw new UsageError('gen needs one number: how many records to make');
  }
  return {
    name: 'gen',
    records: countOf('RECORDS', records, 0) as number,
    seed: countOf('--seed', values.seed, 0) ?? 0,
    output: pathOf('--output', values.output),
    explicitOutput: values.output !== undefined,
  };
}

function parseDoctor(args: string[]): Command {
  const flag = { type: 'boolean' } as const;
  const options = { ...HELP_OPTION, json: flag, calibrate: flag };
  const { values } = withUsageErrors(() => parseArgs({ args, options }));
  if (values.help) return { name: 'help', of: 'doctor' };
  const { json = false, calibrate = false } = values;
  return { name: 'doctor', json, calibrate };
}
