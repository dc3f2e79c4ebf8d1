/** Which format a file has by its name, and which formats a result can be written in. */

import { extname } from 'node:path';
import { UsageError } from './failure.js';

/** The formats that are written. */
export const FORMATS = ['raw', 'npy', 'arrow', 'parquet', 'csv', 'tsv'] as const;
export type FileFormat = (typeof FORMATS)[number];

/** What a sort writes: values or positions of one width, whole rows of a table, or records. */
export type Goal = 'values' | 'order' | 'rows' | 'records' | 'check';

const KNOWN: Readonly<Record<string, Exclude<FileFormat, 'raw'>>> = {
  '.npy': 'npy',
  '.parquet': 'parquet',
  '.parq': 'parquet',
  '.pq': 'parquet',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.feather': 'arrow',
  '.ipc': 'arrow',
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.tab': 'tsv',
};

const TEXT = ['.txt', '.json', '.jsonl', '.ndjson', '.xml', '.yaml', '.yml'];

/** Tables and archives that hold no bare numbers, and are not read. */
const OTHERS = [
  ...['.xlsx', '.xls', '.ods', '.orc', '.avro', '.h5', '.hdf5', '.npz', '.sqlite', '.duckdb'],
  ...['.gz', '.bz2', '.xz', '.zst', '.lz4', '.zip', '.7z', '.tar'],
];

const extensionOf = (path: string | undefined): string => extname(path ?? '').toLowerCase();

/** Whether a format is lines of text. */
export const isText = (format: string | undefined): format is 'csv' | 'tsv' =>
  format === 'csv' || format === 'tsv';

/**
 * The format of the input `path`, for which the caller has `asked`. A file that is text or a table
 * of another kind is raw only where the caller says so.
 * @throws UsageError with what to do
 */
export function inputFormat(path: string | undefined, asked: FileFormat | undefined): FileFormat {
  const extension = extensionOf(path);
  const known = KNOWN[extension];
  if (known !== undefined && !(asked === 'raw' && isText(known))) return known;
  if (asked === 'raw' || isText(asked)) return asked;
  if (TEXT.includes(extension)) throw textError(`'${path}'`);
  if (OTHERS.includes(extension)) {
    throw new UsageError(
      `'${path}' holds no bare numbers, and ${extension} files cannot be read: convert it to ` +
        '.parquet, .arrow or .npy, or say --format raw if its bytes are numbers',
    );
  }
  return 'raw';
}

/** The error for text where numbers are wanted; `name` has its quotes. */
export function textError(name: string): UsageError {
  return new UsageError(
    `${name} is text, and its bytes are not the numbers that it shows: sort its lines with ` +
      '--format csv or tsv and -c COLUMN (--no-header if its first line has no names), or say ' +
      '--format raw if its bytes are numbers',
  );
}

/**
 * The format that a result is written in: `asked`, else that of the output's name, else that of the
 * input for rows, and raw for all else.
 * @throws UsageError where the result cannot have that format, or the name says another
 */
export function outputFormat(
  goal: Exclude<Goal, 'check'>,
  output: string | undefined,
  asked: FileFormat | undefined,
  input: FileFormat,
): FileFormat {
  const extension = extensionOf(output);
  const named = KNOWN[extension];
  const format = asked ?? named ?? (goal === 'rows' && output === undefined ? input : undefined);
  if (goal === 'rows') return formatOfRows(output, format, input);
  // For an order or the values of a column, the format of text is that of the input.
  const chosen = (isText(input) && asked === input ? undefined : format) ?? 'raw';
  if (chosen !== 'raw' && chosen !== 'npy') {
    throw new UsageError(
      `${WHAT[goal]} cannot be written as ${chosen}, only whole rows of a table can; ` +
        `write ${goal === 'records' ? 'raw bytes' : 'raw values or .npy'}`,
    );
  }
  if (goal === 'records' && chosen === 'npy') {
    throw new UsageError('records of bytes cannot be written as npy, only numbers can');
  }
  const isOther = TEXT.includes(extension) || OTHERS.includes(extension);
  if (chosen === 'raw' && asked === undefined && isOther && goal !== 'records') {
    throw new UsageError(
      `'${output}' would hold raw values, and not what its name says; name another file, or ` +
        'say --format raw',
    );
  }
  assertName(output, named, chosen);
  return chosen;
}

const WHAT = { values: 'values', order: 'an order', records: 'records' } as const;

function formatOfRows(
  output: string | undefined,
  format: FileFormat | undefined,
  input: FileFormat,
): FileFormat {
  if (isText(input) && (format === undefined || format === input)) {
    assertName(output, KNOWN[extensionOf(output)], input);
    return input;
  }
  if (isText(input) && isText(format)) {
    throw new UsageError(
      `rows leave with the bytes that they came with, so ${input} cannot become ${format}: name ` +
        `an OUTPUT that does not end in .${format}`,
    );
  }
  if (format === 'parquet' || format === 'arrow') {
    assertName(output, KNOWN[extensionOf(output)], format);
    return format;
  }
  const where = format === undefined ? `'${output}'` : `the format ${format}`;
  throw new UsageError(
    `whole rows are written to .parquet or .arrow ` +
      `files${isText(input) ? `, or as ${input}` : ''}, not to ${where}; for the values of the ` +
      'column alone add --values-only',
  );
}

function assertName(
  output: string | undefined,
  named: FileFormat | undefined,
  format: FileFormat,
): void {
  if (named === undefined || named === format) return;
  throw new UsageError(`--format says ${format}, but the name '${output}' says ${named}`);
}
