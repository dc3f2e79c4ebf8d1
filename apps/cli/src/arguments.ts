/** Parses the command line, before any work begins. */

import { parseArgs } from 'node:util';
import { KEY_TYPES, type KeyType, type Order } from '@keysweep/core';
import type { SortProcess } from '@keysweep/external';
import type { RecordKey } from '@keysweep/files';
import type { SortOptions } from 'keysweep';
import type { CommandName } from './commands/help.js';
import { UsageError } from './failure.js';
import { type FileFormat, FORMATS, type Goal, inputFormat, outputFormat } from './formats.js';
import { type ColumnSpec, parseBytes, parseColumn, parseKey } from './specs.js';

/** The input and its format. */
export type Input =
  | {
      readonly format: 'raw';
      readonly path: string | undefined;
      readonly keyType: KeyType;
      /** Whether the caller says that the bytes are numbers, even if they look like text. */
      readonly isSure: boolean;
    }
  | {
      readonly format: 'npy';
      readonly path: string;
      /** The type that --type says the values have. */
      readonly keyType: KeyType | undefined;
    }
  | {
      readonly format: 'parquet' | 'arrow';
      readonly path: string;
      /** Most significant first, at least one. */
      readonly columns: readonly ColumnSpec[];
      /** The type that --type says the columns have. */
      readonly keyType: KeyType | undefined;
    }
  | {
      readonly format: 'records';
      readonly path: string | undefined;
      /** Bytes of a record. */
      readonly width: number;
      /** Most significant first, at least one. */
      readonly keys: readonly RecordKey[];
    };

export interface SortCommand {
  readonly name: 'sort';
  readonly input: Input;
  readonly goal: Goal;
  /** undefined for standard output. */
  readonly output: string | undefined;
  readonly outputFormat: FileFormat;
  /** Whether an output was named: with '-o -' even a terminal gets the bytes. */
  readonly explicitOutput: boolean;
  readonly order: Order;
  /** How many rows or values are written at most. */
  readonly head: number | undefined;
  readonly backend: Exclude<SortOptions['backend'], undefined>;
  readonly threads: number | undefined;
  readonly report: boolean;
  /** Bytes that the sort may take; undefined for as many as it takes. */
  readonly memory: number | undefined;
  /** The folder for temporary files. */
  readonly tmp: string | undefined;
  /** Whether of equal keys only the first is written. */
  readonly unique: boolean;
  /** Whether to go on where a killed command stopped. */
  readonly resume: boolean;
  /** Child processes that sort; undefined for none. */
  readonly processes: readonly SortProcess[] | undefined;
}

/** What a file holds: numbers or records. */
export type FileLayout =
  | { readonly type: KeyType }
  | { readonly record: { readonly bytes: number; readonly keys: readonly RecordKey[] } };

export interface CheckCommand {
  readonly name: 'check';
  readonly path: string;
  readonly layout: FileLayout;
  readonly order: Order;
  /** Whether to print the number of records, their checksum and the repeated keys. */
  readonly sum: boolean;
}

export interface GenCommand {
  readonly name: 'gen';
  readonly records: number;
  readonly seed: number;
  /** undefined for standard output. */
  readonly output: string | undefined;
  readonly explicitOutput: boolean;
}

export interface SubmitCommand {
  readonly name: 'submit';
  /** Files one behind the other, at least one. */
  readonly paths: readonly string[];
  readonly output: string;
  readonly layout: FileLayout;
  readonly order: Order;
  /** The address of the store, or how many workers a store of its own gets. */
  readonly at: { readonly connection: string } | { readonly local: number };
  readonly memory: number | undefined;
  readonly parts: number | undefined;
  readonly tmp: string | undefined;
  readonly report: boolean;
}

export interface WorkerCommand {
  readonly name: 'worker';
  readonly connection: string;
  /** Jobs at a time. */
  readonly concurrency: number | undefined;
  readonly threads: number | undefined;
  /** The GPU that it alone uses. */
  readonly gpu: number | undefined;
}

export interface DoctorCommand {
  readonly name: 'doctor';
  readonly json: boolean;
  /** Whether backends are measured first. */
  readonly calibrate: boolean;
}

export type Command =
  | { readonly name: 'help'; readonly of?: CommandName }
  | { readonly name: 'version' }
  | SortCommand
  | CheckCommand
  | GenCommand
  | SubmitCommand
  | WorkerCommand
  | DoctorCommand;

const BACKENDS: readonly SortCommand['backend'][] = ['auto', 'webgpu', 'webgl2', 'cpu', 'builtin'];

const COMMANDS = 'sort, check, gen, submit, worker, doctor and help';

const HELP_OPTION = { help: { type: 'boolean', short: 'h' } } as const;

/** What a file of numbers or records holds, and its order. */
const LAYOUT_OPTIONS = {
  ...HELP_OPTION,
  type: { type: 'string', short: 't' },
  record: { type: 'string' },
  key: { type: 'string', multiple: true },
  reverse: { type: 'boolean', short: 'r' },
  descending: { type: 'boolean', short: 'd' },
} as const;

const SORT_OPTIONS = {
  ...LAYOUT_OPTIONS,
  column: { type: 'string', short: 'c', multiple: true },
  output: { type: 'string', short: 'o' },
  argsort: { type: 'boolean' },
  'values-only': { type: 'boolean' },
  check: { type: 'boolean' },
  head: { type: 'string' },
  format: { type: 'string' },
  backend: { type: 'string' },
  threads: { type: 'string' },
  report: { type: 'boolean' },
  memory: { type: 'string' },
  tmp: { type: 'string' },
  unique: { type: 'boolean', short: 'u' },
  resume: { type: 'boolean' },
  processes: { type: 'string' },
  gpu: { type: 'string', multiple: true },
} as const;

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

function parseSort(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: SORT_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'sort' };
  if (positionals.length > 1) {
    throw new UsageError(
      `only one INPUT is allowed, got ${positionals.length}: ${positionals.join(' ')}`,
    );
  }
  const output = pathOf('--output', values.output);
  const order = values.descending || values.reverse ? 'descending' : 'ascending';
  const asked = values.format === undefined ? undefined : oneOf('--format', FORMATS, values.format);
  const input = inputOf(pathOf('INPUT', positionals[0]), values, order, asked === 'raw');
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
    report: values.report ?? false,
    memory: values.memory === undefined ? undefined : parseBytes(values.memory),
    tmp: pathOf('--tmp', values.tmp),
    unique: values.unique ?? false,
    resume: values.resume ?? false,
    processes: processesOf(values),
  };
  const given = (['memory', 'tmp', 'unique', 'resume', 'processes'] as const).find(
    (name) => command[name],
  );
  if (given !== undefined && !isForFiles(command)) {
    throw new UsageError(
      `--${given} is for whole files of raw numbers and records: not for tables, .npy, ` +
        '--argsort, --check and --head',
    );
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
  return isRaw && (goal === 'values' || goal === 'records') && outputFormat === 'raw' && !head;
}

const CHECK_OPTIONS = {
  ...LAYOUT_OPTIONS,
  sum: { type: 'boolean' },
} as const;

function parseCheck(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: CHECK_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'check' };
  const path = pathOf('INPUT', positionals[0]);
  if (path === undefined || positionals.length > 1) {
    throw new UsageError('check needs one INPUT, which is a file');
  }
  const order = values.descending || values.reverse ? 'descending' : 'ascending';
  const layout = layoutOf('check', path, values, order);
  return { name: 'check', path, layout, order, sum: values.sum ?? false };
}

/** What a file of raw numbers or records holds. @throws UsageError for tables */
function layoutOf(command: string, path: string, given: Given, order: Order): FileLayout {
  const input = inputOf(path, given, order, true);
  if (input.format === 'raw') return { type: input.keyType };
  if (input.format === 'records') return { record: { bytes: input.width, keys: input.keys } };
  const instead = command === 'check' ? `sort --check '${path}'` : `sort '${path}'`;
  throw new UsageError(`${command} is for raw numbers and records; for tables: ${instead}`);
}

const SUBMIT_OPTIONS = {
  ...LAYOUT_OPTIONS,
  output: { type: 'string', short: 'o' },
  connection: { type: 'string' },
  local: { type: 'string' },
  memory: { type: 'string' },
  parts: { type: 'string' },
  tmp: { type: 'string' },
  report: { type: 'boolean' },
} as const;

function parseSubmit(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: SUBMIT_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help', of: 'submit' };
  const paths = positionals.map((path) => pathOf('INPUT', path));
  const output = pathOf('--output', values.output);
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
    tmp: pathOf('--tmp', values.tmp),
    report: values.report ?? false,
  };
}

function parseWorker(args: string[]): Command {
  const text = { type: 'string' } as const;
  const numbers = { concurrency: text, threads: text, gpu: text };
  const options = { ...HELP_OPTION, connection: text, ...numbers };
  const { values } = withUsageErrors(() => parseArgs({ args, options }));
  if (values.help) return { name: 'help', of: 'worker' };
  if (values.gpu !== undefined && values.threads !== undefined) {
    throw new UsageError('--threads are those of the CPU, but --gpu names a GPU');
  }
  return {
    name: 'worker',
    connection: connectionOf(values.connection),
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

/** The options of `keysweep sort` that are read in more than one place. */
interface Given {
  readonly type?: string | undefined;
  readonly column?: string[] | undefined;
  readonly output?: string | undefined;
  readonly record?: string | undefined;
  readonly key?: string[] | undefined;
  readonly argsort?: boolean | undefined;
  readonly 'values-only'?: boolean | undefined;
  readonly check?: boolean | undefined;
  readonly head?: string | undefined;
  readonly backend?: string | undefined;
  readonly threads?: string | undefined;
  readonly processes?: string | undefined;
  readonly gpu?: string[] | undefined;
}

function goalOf(input: Input, given: Given): Goal {
  const named = (['check', 'argsort', 'values-only'] as const).filter((name) => given[name]);
  if (named.length > 1) throw new UsageError(`--${named[0]} and --${named[1]} exclude each other`);
  const isTable = input.format === 'parquet' || input.format === 'arrow';
  if (given.check) {
    if (given.output !== undefined) throw new UsageError('--check writes nothing, so -o is wrong');
    if (given.head !== undefined) throw new UsageError('--check looks at all rows, not at --head');
    return 'check';
  }
  if (given.argsort) return 'order';
  if (given['values-only']) {
    if (!isTable) throw new UsageError('--values-only is for tables: a .parquet or .arrow INPUT');
    const [first, more] = input.columns;
    if (more !== undefined) throw new UsageError('--values-only takes one --column');
    if (first?.nulls === 'first') throw new UsageError('--values-only takes no nulls');
    return 'values';
  }
  if (isTable) return 'rows';
  return input.format === 'records' ? 'records' : 'values';
}

function threadsOf({ threads, backend }: Given): number | undefined {
  const count = countOf('--threads', threads, 1);
  if (count !== undefined && count > 256) {
    throw new UsageError(`--threads must be a whole number from 1 to 256, got '${threads}'`);
  }
  if (count !== undefined && backend !== undefined && backend !== 'auto' && backend !== 'cpu') {
    throw new UsageError(`--threads are those of the backend cpu, but --backend says ${backend}`);
  }
  return count;
}

/** One for each GPU, and so many of the CPU. */
function processesOf(given: Given): readonly SortProcess[] | undefined {
  const { processes, gpu = [] } = given;
  if (processes === undefined && gpu.length === 0) return undefined;
  if (given.backend !== undefined) {
    throw new UsageError('--processes sort on the CPU, and --gpu on a GPU: leave --backend out');
  }
  const threads = threadsOf(given);
  const ofCpu = { ...(threads !== undefined && { threads }) };
  return [
    ...gpu.map((one) => ({ gpu: countOf('--gpu', one, 0) as number })),
    ...Array.from({ length: countOf('--processes', processes, 1) ?? 0 }, () => ofCpu),
  ];
}

function countOf(flag: string, given: string | undefined, least: number): number | undefined {
  if (given === undefined) return undefined;
  const count = Number(given);
  if (/^\d+$/.test(given) && Number.isSafeInteger(count) && count >= least) return count;
  throw new UsageError(`${flag} must be a whole number from ${least} on, got '${given}'`);
}

function parseDoctor(args: string[]): Command {
  const flag = { type: 'boolean' } as const;
  const options = { ...HELP_OPTION, json: flag, calibrate: flag };
  const { values } = withUsageErrors(() => parseArgs({ args, options }));
  if (values.help) return { name: 'help', of: 'doctor' };
  const { json = false, calibrate = false } = values;
  return { name: 'doctor', json, calibrate };
}

/** The result of `parse`; its error, cut to the first sentence, as a UsageError. */
function withUsageErrors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const [first = ''] = (error as Error).message.split(/\.\s/);
    throw new UsageError(first.replace(/\s+/g, ' '), { cause: error });
  }
}

function inputOf(
  path: string | undefined,
  { type, column = [], record, key = [] }: Given,
  order: Order,
  saysRaw: boolean,
): Input {
  if (record !== undefined) {
    if (type !== undefined) throw new UsageError('--record sorts bytes, so --type is wrong');
    if (column.length > 0) throw new UsageError('--record has --key, and no --column');
    const width = countOf('--record', record, 1) as number;
    const specs = key.length > 0 ? key : [`0:${width}`];
    return { format: 'records', path, width, keys: specs.map((of) => parseKey(of, width, order)) };
  }
  if (key.length > 0) throw new UsageError('--key needs --record, the bytes of a record');
  const keyType = keyTypeOf(type);
  const format = inputFormat(path, saysRaw);
  if (path !== undefined && (format === 'parquet' || format === 'arrow')) {
    if (column.length === 0) {
      throw new UsageError(`--column must name the column of '${path}' to sort by`);
    }
    return { format, path, columns: column.map((of) => parseColumn(of, order)), keyType };
  }
  if (column.length > 0) {
    throw new UsageError('--column needs an INPUT that ends in .parquet or .arrow');
  }
  if (path !== undefined && format === 'npy') return { format, path, keyType };
  if (keyType === undefined) {
    throw new UsageError(`raw values need --type, one of ${KEY_TYPES.join(', ')}`);
  }
  return { format: 'raw', path, keyType, isSure: saysRaw };
}

/** A path, or undefined where it is left out or '-'. */
function pathOf(what: string, given: string | undefined): string | undefined {
  if (given === '') throw new UsageError(`${what} must name a file, got an empty name`);
  return given === '-' ? undefined : given;
}

function keyTypeOf(given: string | undefined): KeyType | undefined {
  return given === undefined ? undefined : oneOf('--type', KEY_TYPES, given);
}

function oneOf<T extends string>(flag: string, choices: readonly T[], given: string): T {
  if ((choices as readonly string[]).includes(given)) return given as T;
  throw new UsageError(`${flag} must be one of ${choices.join(', ')}, got '${given}'`);
}
