/** How lines of text are divided into fields. */

import { describe } from '@keysweep/core';

/** The formats of text. */
export type TextFormatName = 'csv' | 'tsv';

/** What the caller says of a file of text. */
export interface TextOptions {
  /** One ASCII character; by default a comma, or a tab in TSV. */
  readonly delimiter?: string | undefined;
  /** Whether the first line has the names of columns. By default it has. */
  readonly header?: boolean | undefined;
}

/** The same, as the readers want it. */
export interface Dialect {
  /** The byte between two fields. */
  readonly delimiter: number;
  /** Whether a field that begins with a quote ends with one: in CSV, not in TSV. */
  readonly hasQuotes: boolean;
  readonly hasHeader: boolean;
}

export const LF = 10;
export const CR = 13;
export const QUOTE = 34;

/** The dialect of `format` with these options. @throws TypeError for options that make no sense */
export function dialectOf(
  format: TextFormatName,
  { delimiter = format === 'csv' ? ',' : '\t', header = true }: TextOptions,
): Dialect {
  if (typeof header !== 'boolean') {
    throw new TypeError(`how.header must be true or false, got ${describe(header)}`);
  }
  const code =
    typeof delimiter === 'string' && delimiter.length === 1 ? delimiter.charCodeAt(0) : 0;
  if (code < 1 || code > 127 || [LF, CR, QUOTE].includes(code)) {
    throw new TypeError(
      'how.delimiter must be one ASCII character, but neither a quote nor the end of a line, got ' +
        describe(delimiter),
    );
  }
  return { delimiter: code, hasQuotes: format === 'csv', hasHeader: header };
}
