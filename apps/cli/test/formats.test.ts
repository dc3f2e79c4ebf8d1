/** The format of an input by its name, and the one that a result is written in. */

import { describe, expect, it } from 'vitest';
import { inputFormat, outputFormat } from '../dist/formats.js';

describe('the format of an input', () => {
  it.each<[string | undefined, Parameters<typeof inputFormat>[1], string]>([
    [undefined, undefined, 'raw'],
    [undefined, 'csv', 'csv'],
    ['numbers', undefined, 'raw'],
    ['numbers.bin', 'tsv', 'tsv'],
    ['a.npy', undefined, 'npy'],
    ['a.NPY', 'raw', 'npy'],
    ...['parquet', 'parq', 'pq'].map((end): [string, undefined, string] => [
      `a.${end}`,
      undefined,
      'parquet',
    ]),
    ...['arrow', 'arrows', 'feather', 'ipc'].map((end): [string, undefined, string] => [
      `a.${end}`,
      undefined,
      'arrow',
    ]),
    ['a.csv', undefined, 'csv'],
    ['a.csv', 'raw', 'raw'],
    ['a.tab', undefined, 'tsv'],
    ['a.txt', 'raw', 'raw'],
    ['a.txt', 'csv', 'csv'],
    ['a.gz', 'raw', 'raw'],
    ['folder.csv/a', undefined, 'raw'],
  ])('%s, asked for %s, is %s', (path, asked, format) => {
    expect(inputFormat(path, asked)).toBe(format);
  });

  it.each(['txt', 'json', 'jsonl', 'ndjson', 'xml', 'yaml', 'yml'])('.%s is text', (end) => {
    for (const asked of [undefined, 'parquet'] as const) {
      expect(() => inputFormat(`a.${end}`, asked)).toThrow(/^'a\..*' is text/);
    }
  });

  it.each(
    'xlsx xls ods orc avro h5 hdf5 npz sqlite duckdb gz bz2 xz zst lz4 zip 7z tar'.split(' '),
  )('.%s is not read', (end) => {
    expect(() => inputFormat(`a.${end}`, undefined)).toThrow(`.${end} files cannot be read`);
  });
});

type Written = Parameters<typeof outputFormat>;

describe('the format of a result', () => {
  it.each<[...Written, string]>([
    ['values', undefined, undefined, 'raw', 'raw'],
    ['values', 'out', undefined, 'parquet', 'raw'],
    ['values', 'out.npy', undefined, 'raw', 'npy'],
    ['values', 'out', 'npy', 'csv', 'npy'],
    // What is asked for is then the format of the input.
    ['values', undefined, 'csv', 'csv', 'raw'],
    ['order', 'out.npy', undefined, 'csv', 'npy'],
    ['order', undefined, 'tsv', 'tsv', 'raw'],
    ['order', 'out.txt', 'raw', 'raw', 'raw'],
    ['records', 'out.bin', undefined, 'raw', 'raw'],
    ['records', 'out.txt', undefined, 'raw', 'raw'],
    ['rows', undefined, undefined, 'parquet', 'parquet'],
    ['rows', 'out.arrow', undefined, 'parquet', 'arrow'],
    ['rows', 'out', 'arrow', 'csv', 'arrow'],
    ['rows', undefined, undefined, 'csv', 'csv'],
    ['rows', 'out', undefined, 'tsv', 'tsv'],
    ['rows', 'out.csv', 'csv', 'csv', 'csv'],
    ['rows', 'out.parquet', undefined, 'csv', 'parquet'],
  ])('%s to %s, asked for %s, of %s, is %s', (goal, output, asked, input, format) => {
    expect(outputFormat(goal, output, asked, input)).toBe(format);
  });

  it.each<[...Written, RegExp]>([
    ['values', 'out.parquet', undefined, 'raw', /^values cannot be written as parquet, .*\.npy$/],
    ['order', 'out', 'arrow', 'raw', /^an order cannot be written as arrow/],
    ['records', 'out.csv', undefined, 'raw', /^records cannot be written as csv, .*raw bytes$/],
    ['values', 'out', 'csv', 'tsv', /^values cannot be written as csv/],
    ['records', 'out.npy', undefined, 'raw', /^records of bytes cannot be written as npy/],
    ['values', 'out.txt', undefined, 'raw', /^'out\.txt' would hold raw values/],
    ['order', 'out.zip', undefined, 'csv', /^'out\.zip' would hold raw values/],
    ['values', 'out.npy', 'raw', 'raw', /^--format says raw, but the name 'out\.npy' says npy/],
    ['values', 'out.parquet', 'npy', 'raw', /^--format says npy, .* says parquet/],
    ['rows', 'out.parquet', 'arrow', 'csv', /^--format says arrow, .* says parquet/],
    ['rows', 'out.tsv', undefined, 'csv', /csv cannot become tsv: .*\.tsv$/],
    ['rows', 'out.npy', 'csv', 'csv', /^--format says csv, .* says npy/],
    ['rows', 'out', undefined, 'parquet', /\.parquet or \.arrow files, not to 'out'/],
    ['rows', 'out.npy', undefined, 'csv', /files, or as csv, not to the format npy/],
    ['rows', undefined, 'raw', 'arrow', /not to the format raw; .*--values-only$/],
  ])('%s to %s, asked for %s, of %s, is refused', (goal, output, asked, input, why) => {
    expect(() => outputFormat(goal, output, asked, input)).toThrow(why);
  });
});
