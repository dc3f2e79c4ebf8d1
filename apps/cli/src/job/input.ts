/** Reads what is sorted. */

import type { KeyArray } from '@keysweep/core';
import {
  type ByteSink,
  countRecords,
  memoryOfStored,
  openTable,
  type Progress as Reading,
  recordColumns,
  type StoredColumn,
  type StoredTable,
  sortKeysOf,
  type Table,
  takeRows,
  writeRecords,
  writeTable,
} from '@keysweep/files';
import type { Column } from 'keysweep';
import type { Input, SortCommand } from '../arguments/command.js';
import { Failure } from '../failure.js';
import { heldSource, type InputSource, openSource } from '../io/source.js';
import type { Step } from '../text/progress.js';
import { assertFits, memoryOfNumbers, memoryOfTable, withinMemory } from './memory.js';
import { assertNoText, SAMPLE } from './text.js';

/** One row of so many, or less, is a few rows. */
const FEW = 16;

/** Tells how far the work is. */
export type Tell = (step: Step) => void;
/** Finds the order of rows. */
export type Argsort = (columns: Column | readonly Column[]) => Promise<Uint32Array>;

/** An input whose rows can be put in order. */
export interface Rows {
  /** All keys are in this order; undefined where columns have orders of their own. */
  readonly order: 'ascending' | undefined;
  readonly columns: Column | readonly Column[];
  /** Writes the rows `order`. */
  write(sink: ByteSink, order: Uint32Array): Promise<void>;
}

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

type Numbers = Exclude<Input, { format: 'records' }>;

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
    openTable(source, { ...input, memory }, (progress) => tell(stepOf(progress, 0, 1))),
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
): Promise<Rows> {
  if (input.format === 'records') return readRecords(source, input, tell);
  if (!('columns' in input)) {
    const keys = await readNumbers(source, input, command, tell);
    return { order: undefined, columns: keys, write: noRows };
  }
  const { goal, head, outputFormat, memory } = command;
  const { name: file } = source;
  let columnsRead = 0;
  let wanted = input.columns.length;
  const table = await withinMemory(file, () =>
    openTable(source, { format: input.format, memory }, (progress) =>
      tell(stepOf(progress, columnsRead, wanted)),
    ),
  );
  const places = input.columns.map(({ name }) => placeOf(table, source.name, input, name));
  const read = new Map<number, StoredColumn>();
  const all = goal === 'rows' ? table.columns.map((_, place) => place) : places;
  const { rows = 0 } = table.columns[0] ?? {};
  // For a few rows, columns that are only carried are read where these rows are, in the end.
  const held = head !== undefined && head <= rows / FEW ? places : all;
  wanted = held.length;
  const work = { rows, keys: places.length, goal };
  const { columns: bytes } = table.memoryOf([...new Set(held)]);
  const { reading } = table.memoryOf([...new Set(all)]);
  const needed = memoryOfTable(bytes, reading, work);
  assertFits(file, needed, memory);
  for (const place of held) {
    if (!read.has(place)) {
      const column = await withinMemory(
        file,
        () => table.readColumn(place),
        (more) => (more <= needed ? needed : memoryOfTable(more, 0, work)),
      );
      read.set(place, column);
    }
    columnsRead++;
  }
  // The text of dictionaries is known now.
  const taken = [...read.values()].reduce((sum, column) => sum + memoryOfStored(column), 0);
  assertFits(file, memoryOfTable(taken, 0, work), memory);
  const columns: Column[] = [];
  for (const [i, { order, nulls }] of input.columns.entries()) {
    const column = read.get(places[i] as number) as StoredColumn;
    columns.push({ ...(await sortKeysOf(column, argsort)), order, nulls });
  }
  return {
    order: 'ascending',
    columns,
    async write(sink, order) {
      const carried = all.some((place) => !read.has(place));
      const columns: StoredColumn[] = [];
      for (const place of all) {
        const column = read.get(place);
        if (!carried) columns.push(column as StoredColumn);
        else if (column !== undefined) columns.push({ ...column, ...takeRows(column, order) });
        else {
          const few = (): Promise<StoredColumn> => table.readRows(place, order);
          columns.push(await withinMemory(file, few, (more) => memoryOfTable(more, 0, work)));
        }
      }
      await writeTable(
        sink,
        outputFormat as 'parquet' | 'arrow',
        { columns, order: carried ? order.map((_, i) => i) : order, layout: table.layout },
        (completed, total) => tell({ doing: 'writing', completed, total, unit: 'steps' }),
      );
    },
  };
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

function stepOf(progress: Reading, columnsRead: number, columns: number): Step {
  const { completed, total, unit } = progress;
  // The bytes are those of the file, the rows those of one column.
  if (unit === 'bytes') return { doing: 'reading', completed, total, unit };
  const all = columns * total;
  return {
    doing: 'reading',
    completed: columnsRead * total + completed,
    total: all,
    unit: 'steps',
  };
}

/** @throws Failure where --type says another type than the file */
function assertType(table: Table, { keyType, path }: Numbers, name: string): void {
  const type = table.columns.find((column) => column.name === name)?.keyType;
  if (keyType === undefined || type === undefined || keyType === type) return;
  const what = !('readColumn' in table) ? '' : `column '${name}' of `;
  throw new Failure(`--type says ${keyType}, but ${what}'${path}' is ${type}`);
}

/** Where the column called `name` is. @throws Failure where there is none, or several */
function placeOf(table: Table, file: string, input: Numbers, name: string): number {
  const place = table.columns.findIndex((column) => column.name === name);
  if (place === -1) {
    const names = table.columns.map((column) => column.name).join(', ') || '(none)';
    throw new Failure(`${file} has no column '${name}'; its columns are: ${names}`);
  }
  assertType(table, input, name);
  return place;
}
