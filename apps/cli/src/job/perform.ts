/** The work of a sort: reading, sorting, and encoding the result. */

import { type KeyArray, keyTypeOf } from '@keysweep/core';
import { type ByteSink, bytesOf, npyHeader } from '@keysweep/files';
import type { Column, SortReport } from 'keysweep';
import type { SortCommand } from '../arguments/command.js';
import type { Step } from '../text/progress.js';
import type { Phases } from '../text/report.js';
import { firstRows } from './first.js';
import { openInput, readNumbers, readRows } from './input.js';
import { firstOfTies, misplacedIn } from './neighbours.js';
import type { Job, Result } from './protocol.js';
import { sorterOf } from './sorter.js';
import type { Argsort, Tell } from './table.js';
import { threadsFor } from './table-threads.js';

/** What the work needs from the thread that it is done on. */
export interface Surroundings {
  readonly tell: Tell;
  readonly sink: ByteSink;
  /** Writes bytes of any number, whose writing is shown. Their memory may go with them. */
  writeAll(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Resolves when all of the output is written. */
  written(): Promise<unknown>;
}

/** Writes numbers, as they are or as a NumPy file. Their memory goes with them. */
async function writeNumbers(
  array: KeyArray,
  format: SortCommand['outputFormat'],
  { sink, writeAll }: Surroundings,
): Promise<void> {
  const keyType = keyTypeOf(array);
  if (keyType === undefined) throw new Error('only numbers are written as numbers');
  if (format === 'npy') await sink.write(npyHeader(keyType, array.length));
  await writeAll(bytesOf(array));
}

const sumOf = ({ reading, ordering, writing }: Phases): number => reading + ordering + writing;

/**
 * Reads, sorts and encodes.
 * @throws Failure or UsageError, and what reading, sorting and writing reject with
 */
export async function perform(
  { command, standardInput }: Job,
  surroundings: Surroundings,
): Promise<Result> {
  const { tell, sink, written } = surroundings;
  const { input, goal, head, order, backend, outputFormat } = command;
  let report: SortReport | undefined;
  // A report is one of a sort of all rows, and only that sort finds those that tie.
  const isSelected = head !== undefined && !command.report && !command.unique;
  const phases = { reading: 0, ordering: 0, writing: 0 };
  /** The result of `work`, whose time counts for a phase, but for what counts for another. */
  const during = async <T>(phase: keyof Phases, work: () => Promise<T>): Promise<T> => {
    const [start, counted] = [performance.now(), sumOf(phases)];
    try {
      return await work();
    } finally {
      phases[phase] += performance.now() - start - (sumOf(phases) - counted);
    }
  };
  const options = {
    order,
    backend,
    onProgress: ({ phase, completed, total }: { phase: string } & Omit<Step, 'doing' | 'unit'>) =>
      tell({
        doing: phase === 'sort' ? 'sorting' : `sorting: ${phase}`,
        completed,
        total,
        unit: 'steps',
      }),
  };
  const onReport = (given: SortReport): void => {
    report = given;
  };
  const sorter = await sorterOf(command);
  try {
    const source = await openInput(input, standardInput, tell);
    const threads = threadsFor(command, source);
    try {
      if (goal === 'values' && input.format !== 'records') {
        const keys = await during('reading', () => readNumbers(source, input, command, tell));
        const column = 'columns' in input ? input.columns[0] : undefined;
        const own = { ...options, order: column?.order ?? order };
        const first = await during('ordering', async () => {
          if (isSelected) return (await sorter.topK(keys, head, own)).keys;
          return (await sorter.sort(keys, { ...own, onReport })).subarray(0, head);
        });
        await during('writing', async () => {
          await writeNumbers(first, outputFormat, surroundings);
          await written();
        });
        return { report, phases, misplaced: -1 };
      }
      const argsort: Argsort = (columns) =>
        during('ordering', () => sorter.argsort(columns, { backend }));
      const rows = await during('reading', () =>
        readRows(source, input, command, tell, argsort, threads),
      );
      const own = { ...options, order: rows.order ?? order };
      if (goal === 'check') {
        const misplaced = misplacedIn(rows.columns, own.order);
        return { report, phases, misplaced, lines: rows.linesOf?.(misplaced) };
      }
      const first = await during('ordering', async () => {
        const first = isSelected && (await firstRows(sorter, rows.columns, head, own));
        if (first) return first;
        const all = await sorter.argsort(rows.columns, { ...own, onReport });
        const kept = command.unique ? firstOfTies(rows.columns as Column[], all) : all;
        return kept.subarray(0, head);
      });
      await during('writing', async () => {
        if (goal === 'order') await writeNumbers(first, outputFormat, surroundings);
        else await rows.write(sink, first);
        await written();
      });
      return { report, phases, misplaced: -1 };
    } finally {
      await threads?.close();
      await source.close();
    }
  } finally {
    await sorter.close();
  }
}
