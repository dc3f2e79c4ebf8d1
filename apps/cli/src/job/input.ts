/** Reads what is sorted. */

import type { KeyArray } from '@keysweep/core';
import {
  countRecords,
  openTable,
  recordColumns,
  type StoredTable,
  type Table,
  type Threads,
  writeRecords,
} from '@keysweep/files';
import type { Input, SortCommand } from '../arguments/command.js';
import { heldSource, type InputSource, openSource } from '../io/source.js';
import { assertFits, memoryOfNumbers, withinMemory } from './memory.js';
import {
  type Argsort,
  assertType,
  formatOf,
  type Numbers,
  type Rows,
  readTable,
  stepOf,
  type Tell,
} from './table.js';
import { assertNoText, SAMPLE } from './text.js';

/** The source of `input`, which may be what was read from standard input. */
export async function openInput(
  { path }: Input,
  standardInput: Uint8Array<ArrayBuffer> | undefined,
  tell: Tell,
): Promise<InputSource> {
  if (standardInput !== undefined) return heldSource('standard input', standardInput);
  return openSource(path as string, (completed) =>
    tell({ doing: 'reading', completed, total: undefined, unit: 'bytes' }),
  );
}

/**
 * The numbers of an input, or of its only column.
 * @throws UsageError for text; Failure or FileError for what cannot be read as numbers, or takes
 *   more memory than it may
 */
export async function readNumbers(
  source: InputSource,
  input: Numbers,
  { goal, memory }: Pick<SortCommand, 'goal' | 'memory'>,
  tell: Tell,
): Promise<KeyArray> {
  const { name: file } = source;
  if (input.format === 'raw') {
    assertNoText(await source.read(0, Math.min(source.size, SAMPLE)), source.name, input);
  }
  const table: Table | StoredTable = await withinMemory(file, () =>
    openTable(source, { ...formatOf(input), memory }, (progress) => tell(stepOf(progress, 0, 1))),
  );
  const name = 'columns' in input ? (input.columns[0] as (typeof input.columns)[0]).name : 'values';
  assertType(table, input, name);
  const place = table.columns.findIndex((column) => column.name === name);
  const { rows = 0 } = table.columns[place] ?? {};
  const own =
    'memoryOf' in table && place !== -1 ? (table as StoredTable).memoryOf([place]) : undefined;
  const bytes = own?.columns ?? source.size;
  const needed = Math.max(bytes + (own?.reading ?? 0), memoryOfNumbers(bytes, rows, goal));
  assertFits(file, needed, memory);
  return withinMemory(
    file,
    () => table.read(name),
    (reading) => Math.max(reading, needed),
  );
}

/** The columns of a table that `input` names, or all of its rows. */
export async function readRows(
  source: InputSource,
  input: Input,
  command: SortCommand,
  tell: Tell,
  argsort: Argsort,
  threads: Threads | undefined,
): Promise<Rows> {
  if (input.format === 'records') return readRecords(source, input, tell);
  if (!('columns' in input)) {
    const keys = await readNumbers(source, input, command, tell);
    return { order: undefined, columns: keys, write: noRows };
  }
  return readTable(source, input, command, tell, argsort, threads);
}

const noRows = (): Promise<void> => Promise.reject(new Error('bare numbers have no rows'));

async function readRecords(
  source: InputSource,
  { width, keys }: Extract<Input, { format: 'records' }>,
  tell: Tell,
): Promise<Rows> {
  const { name, size } = source;
  const total = countRecords(name, size, width);
  const bytes = await source.read(0, size, (completed) =>
    tell({ doing: 'reading', completed, total: size, unit: 'bytes' }),
  );
  return {
    order: 'ascending',
    columns: recordColumns(bytes, width, keys),
    write: (sink, order) =>
      writeRecords(sink, { bytes, width }, order, (completed) =>
        tell({ doing: 'writing', completed, total, unit: 'steps' }),
      ),
  };
}
