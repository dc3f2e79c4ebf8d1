/** A file as columns of numbers. */

import type { KeyArray, KeyType } from '@keysweep/core';
import type { KeyValue, SchemaElement } from 'hyparquet';
import type { Field } from './arrow/schema.js';
import { FileError } from './error.js';
import type { ByteSink } from './source.js';
import type { StoredColumn } from './stored/column.js';

/** A column as the file declares it. */
export interface Column {
  /** Its name in the file; 'values' if the file has no names. */
  readonly name: string;
  /** The type as the file names it: `INT64 (TIMESTAMP)`, `Float32`; `text` of a file of text. */
  readonly type: string;
  /** The type of its keys; undefined for a type that has no order of numbers, such as text. */
  readonly keyType: KeyType | undefined;
  /** How many values it has, nulls included. */
  readonly rows: number;
}

/** An opened file. */
export interface Table {
  /** In the order of the file. */
  readonly columns: readonly Column[];
  /**
   * All values of the column called `name`, in row order and bit for bit, in an array that you may
   * change. Dates, times and decimals are the integers that the file stores.
   * @throws FileError when there is no such column, or it is not numeric, has nulls or is damaged
   */
  read(name: string): Promise<KeyArray>;
}

/** A table whose rows can be written again. */
export interface StoredTable extends Table {
  /**
   * The whole column at `place` of `columns`, with text and nulls.
   * @throws FileError when its type is not carried, or it is damaged
   */
  readColumn(place: number): Promise<StoredColumn>;
  /**
   * The rows `rows` of the column at `place`, in their order. In a Parquet file, only row groups
   * and pages that have one of them are decoded.
   * @throws FileError like `readColumn`
   */
  readRows(place: number, rows: Uint32Array): Promise<StoredColumn>;
  /**
   * How much memory the columns at `places` take, as far as the file tells before they are read.
   * Text in dictionaries of Parquet may take more.
   */
  memoryOf(places: readonly number[]): TableMemory;
  /** What a writer of the same format takes over from the file; undefined for text. */
  readonly layout: Layout | undefined;
}

/**
 * A table of text. Whether a column has integers, numbers or text is known when it is read, so
 * `columns` give no key types.
 */
export interface TextTable extends StoredTable {
  /**
   * A column as 64-bit integers or as doubles if all its values are such, otherwise as text. Blanks
   * around numbers don't count, and empty fields are nulls. With 'text' it is always read as text.
   */
  readColumn(place: number, as?: 'text'): Promise<StoredColumn>;
  /**
   * Writes whatever precedes the rows, such as a header, and then the rows `order`, with the bytes
   * that they have in the file. If the last line has no line end, it gets that of the first line.
   * `onWritten` is called with the number of rows written so far.
   */
  writeRows(
    sink: ByteSink,
    order: Uint32Array,
    onWritten: (completed: number) => void,
  ): Promise<void>;
  /** The line of the file that a row begins in, the first line being 1. */
  lineOf(row: number): number;
}

/** Bytes of memory. */
export interface TableMemory {
  /** For the columns once they are read, and for the file itself if it is Arrow. */
  readonly columns: number;
  /** The most that reading one of them takes on top of that. */
  readonly reading: number;
}

/** The description of the columns in the file, in its own format. */
export type Layout =
  | {
      readonly format: 'parquet';
      readonly metadata: readonly KeyValue[];
      /** One a column. */
      readonly elements: readonly SchemaElement[];
    }
  | {
      readonly format: 'arrow';
      /** A buffer that holds the table `Schema`, and where in it. */
      readonly schema: { readonly bytes: Uint8Array; readonly at: number };
      readonly fields: readonly Field[];
    };

/** How far reading is. */
export interface Progress {
  /** Units that were read. */
  readonly completed: number;
  /** Units to read. */
  readonly total: number;
  /** What is counted. */
  readonly unit: 'bytes' | 'rows';
}

/** Called with how far reading is. */
export type OnProgress = (progress: Progress) => void;

/** A column with a key type. */
export type NumericColumn = Column & { readonly keyType: KeyType };

/**
 * The numeric column called `name`.
 * @throws FileError when there is none, or it is not numeric
 */
export function findColumn(file: string, columns: readonly Column[], name: string): NumericColumn {
  const column = columns.find((candidate) => candidate.name === name);
  const listed = (some: readonly Column[]): string =>
    some.map((one) => one.name).join(', ') || '(none)';
  if (column === undefined) {
    throw new FileError(`${file} has no column '${name}'; its columns are: ${listed(columns)}`);
  }
  if (column.keyType === undefined) {
    const numeric = columns.filter(({ keyType }) => keyType !== undefined);
    throw new FileError(
      `column '${name}' of ${file} is not numeric but ${column.type}; ` +
        `the numeric columns are: ${listed(numeric)}`,
    );
  }
  return column as NumericColumn;
}

/** The error for a column that has a null; `row` counts from 0. */
export function nullError(file: string, name: string, row: number): FileError {
  return new FileError(
    `column '${name}' of ${file} has nulls (the first in row ${row}), ` +
      'which have no place in an order of numbers; filter or fill them first',
  );
}
