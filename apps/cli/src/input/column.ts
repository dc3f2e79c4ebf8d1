/** What the readers of tables share: columns by name, and the words when one will not do. */

import type { KeyArray, KeyType } from '@keysweep/core';
import { Failure } from '../failure.js';

/** A column of keys. */
export interface Column {
  readonly name: string;
  readonly keyType: KeyType;
  readonly keys: KeyArray;
}

/** A column as the table's schema has it. */
export interface ColumnField {
  readonly name: string;
  /** The type in the file's own words. */
  readonly type: string;
  /** undefined for a type that has no order of numbers. */
  readonly keyType: KeyType | undefined;
}

/**
 * The numeric field called `name`.
 * @throws Failure when there is none, or it is not numeric.
 */
export function findField<T extends ColumnField>(
  path: string,
  fields: readonly T[],
  name: string,
): T & { readonly keyType: KeyType } {
  const field = fields.find((candidate) => candidate.name === name);
  if (field === undefined) {
    const names = fields.map((candidate) => candidate.name).join(', ');
    throw new Failure(`'${path}' has no column '${name}'; its columns are: ${names || '(none)'}`);
  }
  if (field.keyType === undefined) {
    const names = fields.filter((other) => other.keyType !== undefined).map((other) => other.name);
    throw new Failure(
      `column '${name}' of '${path}' is not numeric but ${field.type}; the numeric columns are: ${names.join(', ') || '(none)'}`,
    );
  }
  return field as T & { readonly keyType: KeyType };
}

/** The failure for a column that has a null; `row` counts from 0. */
export function nullFailure(path: string, name: string, row: number): Failure {
  return new Failure(
    `column '${name}' of '${path}' has nulls (the first in row ${row}), which have no place in an order of numbers; filter or fill them first`,
  );
}
