/** The arguments of `keysweep sort`. */

import { parseArgs } from 'node:util';
import { BACKEND_NAMES } from '@keysweep/core';
import type { SortProcess } from '@keysweep/external';
import { UsageError } from '../failure.js';
import { FORMATS, type Goal, outputFormat } from '../formats.js';
import { haveAddress } from '../io/addresses.js';
import { onlyGiven } from '../only-given.js';
import { parseBytes } from '../specs.js';
import type { Command, Input, SortCommand } from './command.js';
import {
  countOf,
  type Given,
  HELP_OPTION,
  inputOf,
  LAYOUT_OPTIONS,
  nameOf,
  type OptionTable,
  oneOf,
  reportOf,
  TABLE_OPTIONS,
  threadsOf,
  withReport,
  withUsageErrors,
} from './options.js';

const BACKENDS: readonly SortCommand['backend'][] = ['auto', ...BACKEND_NAMES];

const SORT_OPTIONS = {
  ...HELP_OPTION,
  ...LAYOUT_OPTIONS,
  ...TABLE_OPTIONS,
  output: { type: 'string', short: 'o' },
  argsort: { type: 'boolean' },
  'values-only': { type: 'boolean' },
  check: { type: 'boolean' },
  head: { type: 'string' },
  backend: { type: 'string' },
  threads: { type: 'string' },
  report: { type: 'string' },
  tmp: { type: 'string' },
  unique: { type: 'boolean', short: 'u' },
  resume: { type: 'boolean' },
  processes: { type: 'string' },
  gpu: { type: 'string', multiple: true },
} as const;
export const sortOptions: OptionTable = SORT_OPTIONS;

export function parseSort(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args: withReport(args), options: SORT_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'sort' };
  if (positionals.length > 1) {
    throw new UsageError(
      `only one INPUT is allowed, got ${positionals.length}: ${positionals.join(' ')}`,
    );
  }
  const output = nameOf('--output', values.output);
  const order = values.descending || values.reverse ? 'descending' : 'ascending';
  const asked = values.format === undefined ? undefined : oneOf('--format', FORMATS, values.format);
  const input = inputOf(nameOf('INPUT', positionals[0]), values, order, asked);
  const goal = goalOf(input, values);
  const from = input.format === 'records' ? 'raw' : input.format;
  const command: SortCommand = {
    name: 'sort',
    input,
    goal,
    output,
    outputFormat: goal === 'check' ? 'raw' : outputFormat(goal, output, asked, from),
    explicitOutput: values.output !== undefined,
    order,
    head: countOf('--head', values.head, 0),
    backend: oneOf('--backend', BACKENDS, values.backend ?? 'auto'),
    threads: threadsOf(values),
    report: reportOf(values.report),
    memory: values.memory === undefined ? undefined : parseBytes(values.memory),
    tmp: nameOf('--tmp', values.tmp),
    unique: values.unique ?? false,
    resume: values.resume ?? false,
    processes: processesOf(values),
  };
  const isOfRows = command.unique && goal === 'rows';
  const given = (['tmp', 'resume', 'processes', 'unique'] as const).find(
    (name) => command[name] && !(name === 'unique' && isOfRows),
  );
  if (given !== undefined && !isForFiles(command)) {
    throw new UsageError(
      given === 'unique'
        ? '--unique is for rows of tables and for whole files of raw numbers and records'
        : `--${given} is for whole files of raw numbers and records: not for tables, .npy, ` +
            '--argsort, --check and --head',
    );
  }
  const isOpened = input.format !== 'raw' && input.format !== 'records';
  if (command.memory !== undefined && !isOpened && !isForFiles(command)) {
    throw new UsageError(
      '--memory is for tables, .npy and whole files of raw numbers and records: not for ' +
        '--argsort, --check and --head of the last two',
    );
  }
  if (haveAddress([input.path, output, command.tmp])) {
    if (!isForFiles(command)) {
      throw new UsageError(
        'addresses s3: are for whole files of raw numbers and records: not for tables, .npy, ' +
          '--argsort, --check and --head; keysweep check takes them',
      );
    }
    if (command.resume || command.processes !== undefined) {
      throw new UsageError('--resume, --processes and --gpu need files of this machine');
    }
  }
  if (command.resume && (input.path === undefined || output === undefined)) {
    throw new UsageError('--resume needs an INPUT and an OUTPUT that are files');
  }
  if (command.processes !== undefined && (output === undefined || command.unique)) {
    throw new UsageError(
      '--processes and --gpu need an OUTPUT that is a file, and are not for --unique',
    );
  }
  return command;
}

/** Whether @keysweep/external can carry out a sort: of whole files of raw numbers or records. */
export function isForFiles({ input, goal, outputFormat, head }: SortCommand): boolean {
  const isRaw = input.format === 'raw' || input.format === 'records';
  const isWhole = head === undefined;
  return isRaw && isWhole && (goal === 'values' || goal === 'records') && outputFormat === 'raw';
}

function goalOf(input: Input, given: Given): Goal {
  const named = (['check', 'argsort', 'values-only'] as const).filter((name) => given[name]);
  if (named.length > 1) throw new UsageError(`--${named[0]} and --${named[1]} exclude each other`);
  const isTable = 'columns' in input;
  if (given.check) {
    if (given.output !== undefined) throw new UsageError('--check writes nothing, so -o is wrong');
    if (given.head !== undefined) throw new UsageError('--check looks at all rows, not at --head');
    return 'check';
  }
  if (given.argsort) return 'order';
  if (given['values-only']) {
    if (!isTable)
      throw new UsageError(
        '--values-only is for tables: an INPUT that ends in .csv, .tsv, .parquet or .arrow',
      );
    const [first, more] = input.columns;
    if (more !== undefined) throw new UsageError('--values-only takes one --column');
    if (first?.nulls === 'first') throw new UsageError('--values-only takes no nulls');
    return 'values';
  }
  if (isTable) return 'rows';
  return input.format === 'records' ? 'records' : 'values';
}

/** One for each GPU, and so many of the CPU. */
function processesOf(given: Given): readonly SortProcess[] | undefined {
  const { processes, gpu = [] } = given;
  if (processes === undefined && gpu.length === 0) return undefined;
  if (given.backend !== undefined) {
    throw new UsageError('--processes sort on the CPU, and --gpu on a GPU: leave --backend out');
  }
  const threads = threadsOf(given);
  const ofCpu = onlyGiven({ threads });
  return [
    ...gpu.map((one) => ({ gpu: countOf('--gpu', one, 0) as number })),
    ...Array.from({ length: countOf('--processes', processes, 1) ?? 0 }, () => ofCpu),
  ];
}
