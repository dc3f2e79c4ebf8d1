/** Reads the columns of a table, and writes its rows. */

import { freemem } from 'node:os';
import {
  type ByteSink,
  countLineEnds,
  type Format,
  MemoryError,
  memoryOfStored,
  type OpenOptions,
  openTable,
  type Progress as Reading,
  type StoredColumn,
  type StoredTable,
  sortKeysOf,
  type Table,
  type TextTable,
  type Threads,
  takeRows,
  writeTable,
} from '@keysweep/files';
import type { Column } from 'keysweep';
import type { Input, SortCommand } from '../arguments/command.js';
import { Failure } from '../failure.js';
import { isText } from '../formats.js';
import type { InputSource } from '../io/source.js';
import type { ColumnSpec } from '../specs.js';
import type { Step } from '../text/progress.js';
import { assertFits, memoryOfTable, memoryOfText, tooMuch, withinMemory } from './memory.js';

/** Rows count as few if they are at most one in this many. */
const FEW = 16;

/** Called with how far the work is. */
export type Tell = (step: Step) => void;
/** Finds the order of rows. */
export type Argsort = (columns: Column | readonly Column[]) => Promise<Uint32Array>;

/** An input whose rows can be put in order. */
export interface Rows {
  /** The order of all keys; undefined if columns have orders of their own. */
  readonly order: 'ascending' | undefined;
  readonly columns: Column | readonly Column[];
  /** Writes the rows `order`. */
  write(sink: ByteSink, order: Uint32Array): Promise<void>;
  /** The lines of a text that a row and the one before it begin in; none for row −1. */
  linesOf?(row: number): readonly [own: number, before: number] | undefined;
}

/** An input other than a file of records. */
export type Numbers = Exclude<Input, { format: 'records' }>;

/** An input with columns. */
type Columns = Extract<Input, { columns: unknown }>;

/** The format with which the file of an input is opened. */
export function formatOf(input: Numbers): Format {
  if (!isText(input.format)) return input as Format;
  const { format, delimiter, header } = input as Extract<Input, { format: 'csv' | 'tsv' }>;
  return { format, delimiter, header };
}

/** Reads the columns that `input` names; the result can write the table's rows. */
export async function readTable(
  source: InputSource,
  input: Columns,
  command: SortCommand,
  tell: Tell,
  argsort: Argsort,
  threads: Threads | undefined,
): Promise<Rows> {
  const { goal, head, outputFormat, memory } = command;
  const { name: file } = source;
  let columnsRead = 0;
  let wanted = input.columns.length;
  // A text is held in memory as it is, and more than what is free would end the process.
  const allowed = memory ?? (isText(input.format) ? Math.max(1, freemem()) : undefined);
  const how = { memory: allowed, threads };
  const table = await openWithin(source, input, goal, how, (progress) =>
    tell(stepOf(progress, columnsRead, wanted)),
  );
  const specs = input.columns.flatMap((spec) => listedIn(table, spec));
  const places = specs.map(({ name }) => placeOf(table, source.name, input, name));
  const read = new Map<number, StoredColumn>();
  const areRowsCopied = 'writeRows' in table && isText(outputFormat);
  const areAllRead = goal === 'rows' && !areRowsCopied;
  const all = areAllRead ? table.columns.map((_, place) => place) : [...new Set(places)];
  const { rows = 0 } = table.columns[0] ?? {};
  // If few rows are wanted, columns that are only carried are read at the end, where these rows
  // are.
  const areFew = head !== undefined && head <= rows / FEW;
  const held = areFew ? [...new Set(places)] : all;
  wanted = held.length;
  const work = { rows, keys: places.length, goal: areRowsCopied ? 'order' : goal };
  const { columns: bytes } = table.memoryOf(held);
  const { reading } = table.memoryOf(all);
  const needed = memoryOfTable(bytes, reading, work);
  assertFits(file, needed, allowed);
  const readHeld = async (place: number): Promise<void> => {
    const saysText = specs.some((spec, i) => spec.isText && places[i] === place);
    const column = await withinMemory(
      file,
      () => (table as TextTable).readColumn(place, saysText ? 'text' : undefined),
      (more) => (more <= needed ? needed : memoryOfTable(more, 0, work)),
    );
    read.set(place, column);
    columnsRead++;
  };
  if (threads === undefined) for (const place of held) await readHeld(place);
  else await allOf(held.map(readHeld));
  // Only now is it known how much text is in dictionaries.
  const taken = [...read.values()].reduce((sum, column) => sum + memoryOfStored(column), 0);
  assertFits(file, memoryOfTable(taken, 0, work), allowed);
  const columns: Column[] = [];
  for (const [i, { order, nulls }] of specs.entries()) {
    const column = read.get(places[i] as number) as StoredColumn;
    columns.push({ ...(await sortKeysOf(column, argsort)), order, nulls });
  }
  const onWritten = (completed: number, total: number): void =>
    tell({ doing: 'writing', completed, total, unit: 'steps' });
  // Each thread has a row group of its own at work.
  const byThreads = memoryOfTable(taken, 0, { ...work, threads: threads?.count });
  const writers = allowed === undefined || byThreads <= allowed ? threads : undefined;
  return {
    order: 'ascending',
    columns,
    async write(sink, order) {
      if (areRowsCopied) {
        const told = (completed: number): void => onWritten(completed, order.length);
        return table.writeRows(sink, order, told);
      }
      const carried = all.some((place) => !read.has(place));
      const columns: StoredColumn[] = [];
      const rowsOf = (place: number): StoredColumn | Promise<StoredColumn> => {
        const column = read.get(place);
        if (column !== undefined) return { ...column, ...takeRows(column, order) };
        const few = (): Promise<StoredColumn> => table.readRows(place, order);
        return withinMemory(file, few, (more) => memoryOfTable(more, 0, work));
      };
      if (!carried) columns.push(...all.map((place) => read.get(place) as StoredColumn));
      else if (threads !== undefined) columns.push(...(await allOf(all.map(rowsOf))));
      else for (const place of all) columns.push(await rowsOf(place));
      await writeTable(
        sink,
        outputFormat as 'parquet' | 'arrow',
        { columns, order: carried ? order.map((_, i) => i) : order, layout: table.layout },
        onWritten,
        writers,
      );
    },
    linesOf: (row) =>
      row > 0 && 'lineOf' in table ? [table.lineOf(row), table.lineOf(row - 1)] : undefined,
  };
}

/**
 * As Promise.all, but waits for all to end: the file must not be closed while a thread reads it.
 */
async function allOf<T>(works: readonly (T | Promise<T>)[]): Promise<T[]> {
  await Promise.allSettled(works);
  return Promise.all(works);
}

/** Opens a table, or says how much memory it would take. */
function openWithin(
  source: InputSource,
  input: Columns,
  goal: SortCommand['goal'],
  how: OpenOptions,
  onProgress: (progress: Reading) => void,
): Promise<StoredTable | TextTable> {
  const open = (): Promise<StoredTable | TextTable> =>
    openTable(source, { ...formatOf(input), ...how }, onProgress) as Promise<StoredTable>;
  return withinMemory(source.name, async () => {
    try {
      return await open();
    } catch (error) {
      if (!isText(input.format) || !(error instanceof MemoryError)) throw error;
      const rows = (await countLineEnds(source)) + 1;
      const work = { rows, keys: input.columns.length, goal };
      // Its columns may take more than its bytes do.
      const needed = Math.max(error.needed, memoryOfText(source.size, work));
      throw tooMuch(source.name, needed, error.limit, error);
    }
  });
}

/** Splits a list with commas, unless the table has a column of that whole name. */
function listedIn(table: Table, spec: ColumnSpec): readonly ColumnSpec[] {
  const isName = table.columns.some(({ name }) => name === spec.name);
  return isName ? [spec] : (spec.parts ?? [spec]);
}

/** How far the reading of `columns` columns is. */
export function stepOf(progress: Reading, columnsRead: number, columns: number): Step {
  const { completed, total, unit } = progress;
  // Bytes are counted over the whole file, rows over one column.
  if (unit === 'bytes') return { doing: 'reading', completed, total, unit };
  const all = columns * total;
  return {
    doing: 'reading',
    completed: columnsRead * total + completed,
    total: all,
    unit: 'steps',
  };
}

/** @throws Failure if --type contradicts the file */
export function assertType(table: Table, { keyType, path }: Numbers, name: string): void {
  const type = table.columns.find((column) => column.name === name)?.keyType;
  if (keyType === undefined || type === undefined || keyType === type) return;
  const what = !('readColumn' in table) ? '' : `column '${name}' of `;
  throw new Failure(`--type says ${keyType}, but ${what}'${path}' is ${type}`);
}

/** For a name that no column has: a guess at what was meant, in brackets; or nothing. */
function hintFor(table: Table, isOfText: boolean, name: string): string {
  const [first, more] = table.columns;
  const [, other] =
    isOfText && more === undefined ? (/([;|\t,])/.exec(first?.name ?? '') ?? []) : [];
  if (other !== undefined) {
    return ` (if its fields have '${other}' between them, say --delimiter '${other}')`;
  }
  const [, before, suffix] = /^(.*)(:[^:]*)$/s.exec(name) ?? [];
  if (!table.columns.some((column) => column.name === before)) return '';
  const suffixes = `:asc, :desc, :nulls-first, :nulls-last${isOfText ? ', :text' : ''}`;
  return ` ('${suffix}' is none of ${suffixes})`;
}

/** The place of the column called `name`. @throws Failure if there is none, or several */
function placeOf(table: Table, file: string, input: Numbers, name: string): number {
  const place = table.columns.findIndex((column) => column.name === name);
  if (place === -1) {
    const names = table.columns.map((column) => column.name).join(', ') || '(none)';
    const hint = hintFor(table, isText(input.format), name);
    throw new Failure(`${file} has no column '${name}'; its columns are: ${names}${hint}`);
  }
  if (isText(input.format) && table.columns.some((one, i) => i > place && one.name === name)) {
    throw new Failure(
      `${file} has several columns '${name}'; with --no-header columns are named 1, 2, \u2026`,
    );
  }
  assertType(table, input, name);
  return place;
}
