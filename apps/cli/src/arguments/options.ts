/** Options that several commands have, and their values. */

import { readFileSync } from 'node:fs';
import { platform } from 'node:os';
import { fileURLToPath } from 'node:url';
import { KEY_TYPES, type KeyType, type Order } from '@keysweep/core';
import { isAddress } from '@keysweep/external/storage';
import { UsageError } from '../failure.js';
import { type FileFormat, inputFormat, isText } from '../formats.js';
import { type ColumnSpec, parseColumn, parseDelimiter, parseKey } from '../specs.js';
import type { FileLayout, Input, ReportStyle } from './command.js';

export const HELP_OPTION = { help: { type: 'boolean', short: 'h' } } as const;

/** Options that describe a file of numbers or records, and its order. */
export const LAYOUT_OPTIONS = {
  type: { type: 'string', short: 't' },
  record: { type: 'string' },
  key: { type: 'string', multiple: true },
  reverse: { type: 'boolean', short: 'r' },
  descending: { type: 'boolean', short: 'd' },
} as const;

/** The columns of a table, and how a text is read. */
export const TABLE_OPTIONS = {
  column: { type: 'string', short: 'c', multiple: true },
  delimiter: { type: 'string' },
  'no-header': { type: 'boolean' },
  format: { type: 'string' },
  memory: { type: 'string' },
} as const;

/** The options of a command, for those who only want to know which there are. */
export type OptionTable = Readonly<
  Record<string, { readonly type: 'string' | 'boolean'; readonly short?: string }>
>;

/** The options that are read in more than one place. */
export interface Given {
  readonly type?: string | undefined;
  readonly column?: string[] | undefined;
  readonly output?: string | undefined;
  readonly delimiter?: string | undefined;
  readonly 'no-header'?: boolean | undefined;
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

export function threadsOf({ threads, backend }: Given): number | undefined {
  const count = countOf('--threads', threads, 1);
  if (count !== undefined && count > 256) {
    throw new UsageError(`--threads must be a whole number from 1 to 256, got '${threads}'`);
  }
  if (count !== undefined && backend !== undefined && backend !== 'auto' && backend !== 'cpu') {
    throw new UsageError(`--threads are those of the backend cpu, but --backend says ${backend}`);
  }
  return count;
}

export function countOf(
  flag: string,
  given: string | undefined,
  least: number,
): number | undefined {
  if (given === undefined) return undefined;
  const count = Number(given);
  if (/^\d+$/.test(given) && Number.isSafeInteger(count) && count >= least) return count;
  throw new UsageError(`${flag} must be a whole number from ${least} on, got '${given}'`);
}

/** For options of GNU sort that don't exist here: what to do instead. */
const OF_GNU_SORT: Readonly<Record<string, string>> = {
  k: '-c NAME says by which column to sort (with --no-header they are called 1, 2, \u2026)',
  n: 'columns are sorted as numbers if all their values are numbers',
  g: 'columns are sorted as numbers if all their values are numbers',
  s: 'every sort is stable',
};

/**
 * Calls `parse`, and turns its error into a UsageError with only the first sentence. If a value
 * begins with a dash, that sentence would not say what to do, so another one does.
 */
export function withUsageErrors<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const [first = ''] = (error as Error).message.split(/\.\s/);
    const [, option] = /^Unknown option '([^']+)'/.exec(first) ?? [];
    if (option !== undefined) {
      const [, letter = ''] = /^-(\w)/.exec(option) ?? [];
      const hint = OF_GNU_SORT[letter];
      const text =
        hint === undefined ? `unknown option '${option}'` : `there is no -${letter} here: ${hint}`;
      throw new UsageError(text, { cause: error });
    }
    const [, flag, lacks] =
      /^Option '(?:-\w, )?(--[\w-]+)[^']*' (argument missing|does not take)/.exec(first) ?? [];
    if (flag !== undefined) {
      const text = lacks === 'argument missing' ? 'needs a value' : 'takes no value';
      throw new UsageError(`${flag} ${text}`, { cause: error });
    }
    const advice = first.endsWith('is ambiguous')
      ? ': a value that begins with - is written behind =, as in --output=-'
      : '';
    throw new UsageError(first + advice, { cause: error });
  }
}

export function inputOf(
  path: string | undefined,
  given: Given,
  order: Order,
  asked: FileFormat | undefined,
): Input {
  const { type, column = [], record, key = [], delimiter } = given;
  if (record !== undefined) {
    if (type !== undefined) throw new UsageError('--record sorts bytes, so --type is wrong');
    if (column.length > 0) throw new UsageError('--record has --key, and no --column');
    const width = countOf('--record', record, 1) as number;
    const specs = key.length > 0 ? key : [`0:${width}`];
    return { format: 'records', path, width, keys: specs.map((of) => parseKey(of, width, order)) };
  }
  if (key.length > 0) throw new UsageError('--key needs --record, the bytes of a record');
  const format = inputFormat(path, asked);
  if (isText(format)) {
    if (keyTypeOf(type) !== undefined) {
      throw new UsageError(
        `${path === undefined ? 'standard input' : `'${path}'`} is text, and --type is for bare ` +
          'numbers: a column has numbers if all its values are, and -c NAME:text makes it text',
      );
    }
    return {
      format,
      path,
      columns: columnsOf(path, column, order, true),
      delimiter: delimiter === undefined ? undefined : parseDelimiter(delimiter),
      header: !given['no-header'],
      keyType: undefined,
    };
  }
  if (delimiter !== undefined || given['no-header']) {
    throw new UsageError(
      '--delimiter and --no-header need lines of text: an INPUT that ends in .csv or .tsv, or ' +
        '--format csv',
    );
  }
  const keyType = keyTypeOf(type);
  if (path !== undefined && (format === 'parquet' || format === 'arrow')) {
    return { format, path, columns: columnsOf(path, column, order, false), keyType };
  }
  if (column.length > 0) {
    throw new UsageError(
      '--column needs an INPUT that ends in .csv, .tsv, .parquet or .arrow; lines of text of ' +
        'another name, or of standard input, need --format csv or tsv',
    );
  }
  if (path !== undefined && format === 'npy') return { format, path, keyType };
  if (keyType === undefined) {
    const types = `--type, one of ${KEY_TYPES.join(', ')}`;
    throw new UsageError(
      path === undefined
        ? `name an INPUT, as in keysweep sort in.csv -c NAME; raw values need ${types}`
        : `raw values need ${types}`,
    );
  }
  return { format: 'raw', path, keyType, isSure: asked === 'raw' };
}

function columnsOf(
  path: string | undefined,
  given: readonly string[],
  order: Order,
  isOfText: boolean,
): readonly ColumnSpec[] {
  if (given.length > 0) return given.map((of) => parseColumn(of, order, isOfText));
  const table = path === undefined ? 'standard input' : `'${path}'`;
  throw new UsageError(`--column must name the column of ${table} to sort by, as in -c NAME`);
}

/** A path of this machine, or undefined where it is left out or '-'. */
export function pathOf(what: string, given: string | undefined): string | undefined {
  const name = nameOf(what, given);
  if (name === undefined || !isAddress(name)) return name;
  throw new UsageError(`${what} must be a file of this machine, got '${name}'`);
}

/**
 * Whether Node.js has an argument as it was given: bytes that are not UTF-8 become U+FFFD, and the
 * name that of another file. Only Linux tells the bytes; elsewhere names are in UTF-8.
 */
function isAsGiven(argument: string): boolean {
  if (!argument.includes('\ufffd') || platform() !== 'linux') return true;
  return readFileSync('/proc/self/cmdline').includes(argument);
}

/** A path, an address `s3:`, or undefined where it is left out or '-'. */
export function nameOf(what: string, given: string | undefined): string | undefined {
  if (given === '') throw new UsageError(`${what} must name a file, got an empty name`);
  if (given === undefined || given === '-') return undefined;
  if (!isAsGiven(given)) throw new UsageError(`${what} must be a name in UTF-8, got '${given}'`);
  if (!isAddress(given) || given.startsWith('s3://')) return given;
  if (given.startsWith('file://')) return withUsageErrors(() => fileURLToPath(given));
  throw new UsageError(`${what} must be a path, or an address s3: or file:, got '${given}'`);
}

/** `--report` alone is `--report=text`: an option has a value always, or never. */
export function withReport(args: readonly string[]): string[] {
  const end = args.indexOf('--');
  return args.map((arg, i) =>
    arg === '--report' && (end === -1 || i < end) ? '--report=text' : arg,
  );
}

export function reportOf(given: string | undefined): ReportStyle | undefined {
  return given === undefined ? undefined : oneOf('--report', ['text', 'json'] as const, given);
}

function keyTypeOf(given: string | undefined): KeyType | undefined {
  if (given !== undefined && /^(\W|tab)$/.test(given)) {
    throw new UsageError(
      `-t is --type, the type of bare numbers: --delimiter '${given}' says what is between fields`,
    );
  }
  return given === undefined ? undefined : oneOf('--type', KEY_TYPES, given);
}

export function oneOf<T extends string>(flag: string, choices: readonly T[], given: string): T {
  if ((choices as readonly string[]).includes(given)) return given as T;
  throw new UsageError(`${flag} must be one of ${choices.join(', ')}, got '${given}'`);
}

/** What a file of raw numbers or records holds. @throws UsageError for tables */
export function layoutOf(command: string, path: string, given: Given, order: Order): FileLayout {
  const input = inputOf(path, given, order, 'raw');
  if (input.format === 'raw') return { type: input.keyType };
  if (input.format === 'records') return { record: { bytes: input.width, keys: input.keys } };
  if (command === 'check') {
    throw new UsageError(`--type is for raw numbers; for others: keysweep check '${path}'`);
  }
  throw new UsageError(`${command} is for raw numbers and records; for tables: sort '${path}'`);
}
