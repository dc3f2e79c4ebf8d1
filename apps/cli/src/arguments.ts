/** Parses the command line, before any work begins. */

import { extname } from 'node:path';
import { parseArgs } from 'node:util';
import { KEY_TYPES, type KeyType, type Order } from '@keysweep/core';
import type { SortOptions } from 'keysweep';
import { UsageError } from './failure.js';

/** The input and its format. */
export type Input =
  | { readonly format: 'raw'; readonly path: string | undefined; readonly keyType: KeyType }
  | {
      readonly format: 'parquet' | 'arrow';
      readonly path: string;
      /** Most significant first, at least one. */
      readonly columns: readonly string[];
      /** The type that --type says the columns have. */
      readonly keyType: KeyType | undefined;
    };

export interface SortCommand {
  readonly name: 'sort';
  readonly input: Input;
  /** undefined for standard output. */
  readonly output: string | undefined;
  /** Whether an output was named: with '-o -' even a terminal gets the bytes. */
  readonly explicitOutput: boolean;
  readonly order: Order;
  readonly argsort: boolean;
  readonly backend: Exclude<SortOptions['backend'], undefined>;
  readonly report: boolean;
}

export interface DoctorCommand {
  readonly name: 'doctor';
  readonly json: boolean;
  /** Whether backends are measured first. */
  readonly calibrate: boolean;
}

export type Command =
  | { readonly name: 'help' }
  | { readonly name: 'version' }
  | SortCommand
  | DoctorCommand;

const BACKENDS: readonly SortCommand['backend'][] = ['auto', 'webgpu', 'webgl2', 'cpu', 'builtin'];

const HELP_OPTION = { help: { type: 'boolean', short: 'h' } } as const;

const SORT_OPTIONS = {
  ...HELP_OPTION,
  type: { type: 'string', short: 't' },
  column: { type: 'string', short: 'c', multiple: true },
  output: { type: 'string', short: 'o' },
  descending: { type: 'boolean', short: 'd' },
  argsort: { type: 'boolean' },
  backend: { type: 'string' },
  report: { type: 'boolean' },
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
      throw new UsageError('no command given; the commands are sort, doctor and help');
    default:
      throw new UsageError(`unknown command '${name}'; the commands are sort, doctor and help`);
  }
}

function parseSort(args: string[]): Command {
  const { values, positionals } = withUsageErrors(() =>
    parseArgs({ args, options: SORT_OPTIONS, allowPositionals: true }),
  );
  if (values.help) return { name: 'help' };
  if (positionals.length > 1) {
    throw new UsageError(
      `only one INPUT is allowed, got ${positionals.length}: ${positionals.join(' ')}`,
    );
  }
  const path = pathOf('INPUT', positionals[0]);
  const columns = values.column ?? [];
  const { backend = 'auto', argsort = false } = values;
  if (columns.length > 1 && !argsort) {
    throw new UsageError('several --column need --argsort');
  }
  return {
    name: 'sort',
    input: inputOf(path, columns, keyTypeOf(values.type)),
    output: pathOf('--output', values.output),
    explicitOutput: values.output !== undefined,
    order: values.descending ? 'descending' : 'ascending',
    argsort,
    backend: oneOf('--backend', BACKENDS, backend),
    report: values.report ?? false,
  };
}

function parseDoctor(args: string[]): Command {
  const flag = { type: 'boolean' } as const;
  const options = { ...HELP_OPTION, json: flag, calibrate: flag };
  const { values } = withUsageErrors(() => parseArgs({ args, options }));
  if (values.help) return { name: 'help' };
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
  columns: readonly string[],
  keyType: KeyType | undefined,
): Input {
  const extension = path === undefined ? '' : extname(path).toLowerCase();
  if (path !== undefined && (extension === '.parquet' || extension === '.arrow')) {
    if (columns.length === 0)
      throw new UsageError(`--column must name the column of '${path}' to sort`);
    return { format: extension === '.parquet' ? 'parquet' : 'arrow', path, columns, keyType };
  }
  if (columns.length > 0) {
    throw new UsageError('--column needs an INPUT that ends in .parquet or .arrow');
  }
  if (keyType === undefined) {
    throw new UsageError(`raw values need --type, one of ${KEY_TYPES.join(', ')}`);
  }
  return { format: 'raw', path, keyType };
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
