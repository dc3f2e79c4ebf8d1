/** A file of the user's, as columns of keys. Read in the worker; never sent anywhere. */

import type { KeyArray, KeyType } from 'keysweep';

/** A column as the file has it. */
export interface Column {
  readonly name: string;
  /** The type in the file's own words. */
  readonly type: string;
  /** Undefined for what has no order of numbers. */
  readonly keyType: KeyType | undefined;
  readonly rows: number;
}

export interface Table {
  readonly columns: readonly Column[];
  /** All keys of a column. @throws Error that says what is wrong with it. */
  read(column: string): Promise<KeyArray>;
}

/** The message for a column that has a null; `row` counts from 0. */
export const nullMessage = (column: string, row: number): string =>
  `column ${column} has nulls (the first in row ${row}), which have no place in an order of numbers`;
