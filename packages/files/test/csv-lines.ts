/** Texts as bytes, and their rows as the reader finds them. */

import { type Dialect, dialectOf } from '../src/csv/dialect.js';
import { type Lines, scanLines } from '../src/csv/scan.js';
import { MemoryBudget, type StepAccount } from '../src/memory.js';

export const CSV: Dialect = dialectOf('csv', {});
export const TSV: Dialect = dialectOf('tsv', {});

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, 'latin1'));
export const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');

export const newShare = (): StepAccount =>
  new MemoryBudget("'t'", 0, 2 ** 30, false).begin({ expected: 0 });

/** The rows of a text, with bytes around it that are none of it. */
export function linesOf(text: string, dialect: Dialect = CSV): Lines {
  const bytes = bytesOf(`?"${text}"x,\n`);
  return scanLines("'t'", bytes, { first: 2, end: 2 + text.length }, dialect, newShare());
}
