/** Whether a table fits into the memory that the command may take. */

import { MemoryError } from '@keysweep/files';
import { Failure } from '../failure.js';
import type { Goal } from '../formats.js';
import { formatBytes } from '../text/format.js';
import { TIMES } from '../too-large.js';

/** Bytes of a row that a sort by one column takes: the order, and working copies of 64 bits. */
const SORT_ROW = 36;
/** Bytes of a row more for each column: its keys, where they are not the column's own bytes. */
const KEY_ROW = 8;
/** Rows, and bytes of text, that are written at a time. */
const GROUP_ROWS = 2 ** 17;
const GROUP_TEXT = 2 ** 26;
/** A group is there in order, as the file has it, and compressed. */
const GROUP_COPIES = 3;

/** What is sorted. */
export interface Work {
  readonly rows: number;
  /** How many columns it is sorted by. */
  readonly keys: number;
  readonly goal: Goal;
  /** Threads that encode row groups; undefined where the thread that sorts does. */
  readonly threads?: number | undefined;
}

/** Bytes that a sort of `rows` takes beside its columns of `columns` bytes. */
function memoryOfSort({ rows, keys, goal, threads }: Work, columns: number): number {
  if (goal === 'check') return rows * keys * KEY_ROW;
  const sorting = rows * (SORT_ROW + keys * KEY_ROW);
  if (goal !== 'rows' || rows === 0) return sorting;
  const group = Math.min(columns, GROUP_TEXT + (columns / rows) * Math.min(rows, GROUP_ROWS));
  // Two groups more than threads encode are encoded already, or wait for a thread.
  const order = rows * (4 + keys * KEY_ROW);
  if (threads === undefined) return Math.max(sorting, order + GROUP_COPIES * group);
  // They have numbers and short texts side by side, too, each text with the room of the longest.
  return Math.max(sorting, order + 2 * columns + (threads * GROUP_COPIES + 2) * group);
}

/** What a table takes that is sorted; `reading` is what a column takes while it is read. */
export function memoryOfTable(columns: number, reading: number, work: Work): number {
  return Math.ceil(columns + Math.max(reading, memoryOfSort(work, columns)));
}

/**
 * The most that a text of `size` bytes takes that is sorted, whatever its columns hold: all of them
 * together have no more text than it has.
 */
export function memoryOfText(size: number, work: Work): number {
  const { rows, keys } = work;
  const starts = 10 * rows;
  return memoryOfTable(2 * size + starts + 9 * keys * rows, 0, work);
}

/** The same of one array of numbers, whose bytes are `columns`. */
export function memoryOfNumbers(columns: number, rows: number, goal: Goal): number {
  return goal === 'order' ? columns + rows * (SORT_ROW + KEY_ROW) : columns * TIMES;
}

/**
 * The result of `read`. `memoryOf` says what all of the work takes if reading takes that much. It
 * is left out as long as nobody knows, because the file is not open yet.
 * @throws Failure that says how much it takes, where that is more than is allowed
 */
export async function withinMemory<T>(
  name: string,
  read: () => Promise<T>,
  memoryOf?: (reading: number) => number,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error;
    const { needed, limit } = error;
    if (memoryOf !== undefined) throw tooMuch(name, memoryOf(needed), limit, error);
    const [atLeast, allowed] = [formatBytes(needed), formatBytes(limit)];
    throw new Failure(
      `${name} takes over ${atLeast} of memory, and may take ${allowed}: --memory allows more`,
      { cause: error },
    );
  }
}

/** @throws Failure that says how much it takes, where `memory` is less */
export function assertFits(name: string, needed: number, memory: number | undefined): void {
  if (memory !== undefined && needed > memory) throw tooMuch(name, needed, memory);
}

/** The error for what takes too much. The option says it in whole units of 2^20 bytes. */
export function tooMuch(name: string, needed: number, allowed: number, cause?: unknown): Failure {
  return new Failure(
    `${name} takes ${formatBytes(needed)} of memory, and may take ${formatBytes(allowed)}: ` +
      `--memory ${Math.ceil(needed / 2 ** 20)}M allows it`,
    { cause },
  );
}
