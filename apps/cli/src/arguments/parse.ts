/** Parses the command line, before any work begins. */

import { parseArgs } from 'node:util';
import { UsageError } from '../failure.js';
import { inputFormat } from '../formats.js';
import { parseSubmit, parseWorker } from './cluster.js';
import { type Command, SHELLS } from './command.js';
import {
  countOf,
  HELP_OPTION,
  LAYOUT_OPTIONS,
  layoutOf,
  nameOf,
  type OptionTable,
  oneOf,
  pathOf,
  TABLE_OPTIONS,
  withUsageErrors,
} from './options.js';
import { parseSort } from './sort.js';

const COMMANDS = 'sort, check, gen, submit, worker, doctor, completion and help';

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
    case 'completion':
      return parseCompletion(rest);
    case 'help':
      // `help sort` is what people try who know git.
      return rest[0] === undefined || rest[0] === 'help'
        ? { name: 'help' }
        : parseCommand([rest[0], '--help']);
    case '--help':
    case '-h':
      return { name: 'help' };
    case '--version':
    case '-V':
      return { name: 'version' };
    case undefined:
      return { name: 'usage' };
    default:
      throw new UsageError(`unknown command '${name}'; the commands are ${COMMANDS}`);
  }
}

const CHECK_OPTIONS = {
  ...HELP_OPTION,
  ...LAYOUT_OPTIONS,
  ...TABLE_OPTIONS,
  sum: { type: 'boolean' },
} as const;
export const checkOptions: OptionTable = CHECK_OPTIONS;

function parseCheck(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: CHECK_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'check' };
  const { column, type, record, sum = false } = values;
  if (column !== undefined && !sum) return parseSort(['--check', ...args]);
  const path = nameOf('INPUT', positionals[0]);
  if (path === undefined || positionals.length > 1) {
    throw new UsageError('check needs one INPUT, which is a file');
  }
  if (type === undefined && record === undefined) {
    // Its name may say what it holds: a table, of which a column is still to be named, or .npy.
    if (!sum) return parseSort(['--check', ...args]);
    if (column !== undefined || inputFormat(path, undefined) !== 'raw') {
      throw new UsageError('--sum is for raw numbers and records, not for tables and .npy');
    }
  }
  const order = values.descending || values.reverse ? 'descending' : 'ascending';
  const layout = layoutOf('check', path, values, order);
  return { name: 'check', path, layout, order, sum };
}

const GEN_OPTIONS = {
  ...HELP_OPTION,
  seed: { type: 'string' },
  output: { type: 'string', short: 'o' },
} as const;
export const genOptions: OptionTable = GEN_OPTIONS;

function parseGen(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: GEN_OPTIONS, allowPositionals: true }),
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

function parseCompletion(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: HELP_OPTION, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'completion' };
  const [shell, more] = positionals;
  if (shell === undefined || more !== undefined) {
    throw new UsageError(`completion needs the name of one shell: ${SHELLS.join(', ')}`);
  }
  return { name: 'completion', shell: oneOf('the shell', SHELLS, shell) };
}

const DOCTOR_OPTIONS = {
  ...HELP_OPTION,
  json: { type: 'boolean' },
  calibrate: { type: 'boolean' },
} as const;
export const doctorOptions: OptionTable = DOCTOR_OPTIONS;

function parseDoctor(args: string[]): Command {
  const { values } = withUsageErrors(() => parseArgs({ args, options: DOCTOR_OPTIONS }));
  if (values.help) return { name: 'help', of: 'doctor' };
  const { json = false, calibrate = false } = values;
  return { name: 'doctor', json, calibrate };
}
