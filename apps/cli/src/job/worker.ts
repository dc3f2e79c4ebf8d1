/** The thread that reads, sorts, and encodes the result. */

import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type KeyArray, keyTypeOf, type Order } from '@keysweep/core';
import { type ByteSink, bytesOf, npyHeader } from '@keysweep/files';
import type { Column, SelectionOptions, Sorter, SortReport } from 'keysweep';
import type { SortCommand } from '../arguments/command.js';
import { messageOf, UsageError } from '../failure.js';
import type { Step } from '../text/progress.js';
import type { Phases } from '../text/report.js';
import { openInput, readNumbers, readRows } from './input.js';
import { describedColumn, firstOfTies, misplacedIn } from './neighbours.js';
import type { FromJob, Job, Result } from './protocol.js';
import { sorterOf } from './sorter.js';
import type { Argsort } from './table.js';
import { threadsFor } from './table-threads.js';

const port = parentPort as MessagePort;
const [{ command, standardInput }] = (await once(port, 'message')) as [Job];

function send(message: FromJob, moved: readonly ArrayBuffer[] = []): void {
  port.postMessage(message, moved);
}

/** Between two messages of progress, in milliseconds. */
const INTERVAL = 50;
let sentAt = 0;

function tell(step: Step): void {
  const now = performance.now();
  if (now - sentAt < INTERVAL) return;
  sentAt = now;
  send({ kind: 'progress', step });
}

/** Resolves when the main thread has written what it was given last. */
let written: Promise<unknown> = Promise.resolve();

/** Has the main thread write bytes, whose memory moves there, after those before are written. */
async function handOver(kind: 'write' | 'writeAll', bytes: Uint8Array<ArrayBuffer>): Promise<void> {
  await written;
  written = once(port, 'message');
  send({ kind, bytes }, [bytes.buffer]);
}

/**
 * The command's output. A piece is copied if its memory stays with who writes it. It is written while
 * the next is made.
 */
const sink: ByteSink = {
  write: (bytes) => handOver('write', bytes.slice()),
  give(bytes) {
    const isWhole = bytes.length === bytes.buffer.byteLength;
    return handOver('write', isWhole ? bytes : bytes.slice());
  },
};

/** Writes numbers, as they are or as a NumPy file. Their memory goes with them. */
async function writeNumbers(array: KeyArray, format: SortCommand['outputFormat']): Promise<void> {
  const keyType = keyTypeOf(array);
  if (keyType === undefined) throw new Error('only numbers are written as numbers');
  if (format === 'npy') await sink.write(npyHeader(keyType, array.length));
  await handOver('writeAll', bytesOf(array));
}

/**
 * The first keys of an order and their rows, without a sort of all; undefined where all are wanted,
 * where more than one column of numbers decides, or where a report of the sort is asked for.
 */
async function firstOf(
  sorter: Sorter,
  columns: Column | readonly Column[],
  options: SelectionOptions & { readonly order: Order },
): Promise<{ keys: KeyArray; indices: Uint32Array } | undefined> {
  const { head, report, unique } = command;
  const [column, ...others] = Array.isArray(columns) ? columns : [columns];
  if (head === undefined || report || unique || column === undefined || others.length > 0)
    return undefined;
  const { keys, order = options.order, valid, as } = describedColumn(column);
  if (keyTypeOf(keys) === undefined || valid !== undefined || as !== undefined) return undefined;
  return sorter.topK(keys as KeyArray, head, { ...options, order });
}

const sumOf = ({ reading, ordering, writing }: Phases): number => reading + ordering + writing;

async function perform(): Promise<Result> {
  const { input, goal, head, order, backend, outputFormat } = command;
  let report: SortReport | undefined;
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
          const selected = await firstOf(sorter, keys, own);
          if (selected !== undefined) return selected.keys;
          return (await sorter.sort(keys, { ...own, onReport })).subarray(0, head);
        });
        await during('writing', async () => {
          await writeNumbers(first, outputFormat);
          await written;
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
        const selected = await firstOf(sorter, rows.columns, own);
        if (selected !== undefined) return selected.indices;
        const all = await sorter.argsort(rows.columns, { ...own, onReport });
        const kept = command.unique ? firstOfTies(rows.columns as Column[], all) : all;
        return kept.subarray(0, head);
      });
      await during('writing', async () => {
        if (goal === 'order') await writeNumbers(first, outputFormat);
        else await rows.write(sink, first);
        await written;
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

try {
  send({ kind: 'done', ...(await perform()) });
} catch (error) {
  const message = messageOf(error);
  send({ kind: 'failed', message, isUsage: error instanceof UsageError });
}
