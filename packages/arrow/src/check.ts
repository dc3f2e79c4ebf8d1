/** Checks of arguments. */

import type { Table } from 'apache-arrow';
import type { ArgsortOptions } from 'keysweep';

/** A table of whatever copy of apache-arrow. @throws TypeError for what is none. */
export function assertTable(table: unknown): asserts table is Table {
  const { schema, batches } = (table ?? {}) as Partial<Table>;
  if (Array.isArray(schema?.fields) && Array.isArray(batches)) return;
  throw new TypeError(`table must be a Table of apache-arrow, got ${describe(table)}`);
}

/** What a value is, for people. */
export function describe(value: unknown): string {
  if (typeof value === 'string') return `the string '${value}'`;
  if (typeof value !== 'object' || value === null) return String(value);
  return `an object (${value.constructor?.name ?? 'without a prototype'})`;
}

/** What each property of a column may be; undefined is its default. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  order: ['ascending', 'descending'],
  nulls: ['first', 'last'],
  nans: ['first', 'last'],
  zeros: ['ordered', 'equal'],
};

/** @throws TypeError, RangeError: see `argsortTable`. */
export function checkSortColumns(table: Table, columns: unknown): void {
  if (!Array.isArray(columns) || columns.length === 0) {
    const got = Array.isArray(columns) ? 'an empty list' : describe(columns);
    throw new TypeError(`columns must be a list of columns { column, … }, got ${got}`);
  }
  for (const [i, given] of columns.entries()) checkSortColumn(table, `columns[${i}]`, given);
}

function checkSortColumn(table: Table, name: string, given: unknown): void {
  if (typeof given !== 'object' || given === null) {
    throw new TypeError(`${name} must be { column, … }, got ${describe(given)}`);
  }
  const { column, ...others } = given as Readonly<Record<string, unknown>>;
  if (typeof column !== 'string') {
    throw new TypeError(`${name}.column must be the name of a column, got ${describe(column)}`);
  }
  const names = table.schema.fields.map((field) => String(field.name));
  if (!names.includes(column)) {
    throw new RangeError(`${name}.column is '${column}', but the table has ${names.join(', ')}`);
  }
  for (const [property, value] of Object.entries(others)) {
    const choices = CHOICES[property];
    if (choices === undefined) {
      const known = ['column', ...Object.keys(CHOICES)].join(', ');
      throw new TypeError(`${name} has '${property}', but a column has only ${known}`);
    }
    if (value === undefined || choices.includes(value as string)) continue;
    const words = choices.map((choice) => `'${choice}'`).join(' or ');
    throw new TypeError(`${name}.${property} must be ${words}, got ${describe(value)}`);
  }
}

/** @throws TypeError for options that are no object; `argsort` checks what they hold. */
export function assertOptions(options: unknown): asserts options is ArgsortOptions {
  if (typeof options === 'object' && options !== null) return;
  throw new TypeError(`options must be an object, got ${describe(options)}`);
}
