/** Markdown that several sections are made of. */

import type { BenchmarkRecord } from '../record/record.js';

/** A record that a document names. */
export interface Source<Record = BenchmarkRecord<unknown>> {
  /** Its path below the folder of records, without `.json`. */
  readonly name: string;
  readonly record: Record;
}

/** What a section is made for. */
export interface Context {
  /** The folder of records, below the project's root. */
  readonly records: string;
  /** The link from the document to a file, given by its path below the project's root. */
  link(path: string): string;
  /** Saves a chart, and returns the line that shows it. */
  chart(name: string, description: string, svg: string): string;
}

/** Rows of cells under titles. The first column is text, the others are numbers, or as `rest`. */
export function table(
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  rest: 'numbers' | 'text' = 'numbers',
): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rule = titles.map((_, i) => (i === 0 || rest === 'text' ? '---' : '--:'));
  return [line(titles), line(rule), ...rows.map(line)].join('\n');
}

/** The values, each once, in the order in which they come. */
export const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];

/** Where each result of a record stands in a table, and its cell. */
export interface Pivot<Result> {
  /** The title of the first column. */
  readonly title: string;
  readonly row: (one: Result) => string;
  readonly column: (one: Result) => string;
  readonly cell: (one: Result) => string;
  /** In this order; as they come, unless it says otherwise. */
  readonly columns?: readonly string[];
}

/** A table of results: rows as they come, and empty cells for what was not measured. */
export function pivot<Result>(results: readonly Result[], by: Pivot<Result>): string {
  const { title, row, column, cell, columns = unique(results.map(column)) } = by;
  const rows = unique(results.map(row)).map((name) => {
    const same = results.filter((one) => row(one) === name);
    const cells = columns.map((wanted) => {
      const found = same.find((one) => column(one) === wanted);
      return found === undefined ? '' : cell(found);
    });
    return [name, ...cells];
  });
  return table([title, ...columns], rows);
}

/** Lengths in ascending order, as columns. */
export const lengthColumns = (results: readonly { readonly length: number }[]): string[] =>
  unique(results.map(({ length }) => length))
    .sort((a, b) => a - b)
    .map(formatLength);

/** Makes the text of a section from its records. */
export type Make = (sources: readonly Source<never>[], context: Context) => string;

/** A section of one record, with a link to it. */
export const ofOne =
  <Record>(make: (source: Source<Record>, context: Context) => string): Make =>
  (sources, context) => {
    if (sources.length !== 1) throw new Error(`it takes one record, not ${sources.length}`);
    const source = sources[0] as Source<Record>;
    return withRecord(make(source, context), source as unknown as Source, context);
  };

/** A link to a record. */
export const recordLink = ({ name }: Source, { link, records }: Context, text = 'record'): string =>
  `[${text}](${link(`${records}/${name}.json`)})`;

/** `text` with a link to its record: in the first cell of a table, else in a line of its own. */
export function withRecord(text: string, source: Source, context: Context): string {
  const link = recordLink(source, context);
  const [, first] = /^\| (.*?) \|/.exec(text) ?? [];
  if (first === undefined) return `${text}\n\nMade from this ${link}.`;
  return text.replace(`| ${first} |`, () => `| ${first === '' ? link : `${first} (${link})`} |`);
}

/** 1e5 → "10⁵", 2^26 → "2²⁶"; other numbers as they are. */
export function formatLength(length: number): string {
  for (const base of [2, 10]) {
    const exponent = Math.round(Math.log(length) / Math.log(base));
    if (base ** exponent === length && exponent > 2) return `${base}${superscript(exponent)}`;
  }
  return String(length);
}

const superscript = (number: number): string =>
  String(number).replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.charAt(Number(digit)));

/** How many times as fast: 3.456 → "3.5", 34.56 → "34.6", 345.6 → "346". */
export const formatTimes = (ratio: number): string => ratio.toFixed(ratio < 100 ? 1 : 0);
