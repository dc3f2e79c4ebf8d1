/** The thread that reads, sorts, and encodes the result. */

import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { type KeyArray, keyTypeOf } from '@keysweep/core';
import { type ByteSink, npyHeader, writeRaw } from '@keysweep/files';
import type { SortReport } from 'keysweep';
import type { SortCommand } from '../arguments.js';
import { UsageError } from '../failure.js';
import type { Step } from '../text/progress.js';
import { openInput, readNumbers, readRows } from './input.js';
import type { FromJob, Job, Result } from './protocol.js';
import { sorterOf } from './sorter.js';

const port = parentPort as MessagePort;
const [{ command, standardInput }] = (await once(port, 'message')) as [Job];

function send(message: FromJob): void {
  port.postMessage(message);
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

/** The command's output. Each piece is copied, and written before the next is made. */
const sink: ByteSink = {
  async write(bytes) {
    const written = once(port, 'message');
    send({ kind: 'write', bytes });
    await written;
  },
};

/** Writes numbers, as they are or as a NumPy file. */
async function writeNumbers(array: KeyArray, format: SortCommand['outputFormat']): Promise<void> {
  const keyType = keyTypeOf(array);
  if (keyType === undefined) throw new Error('only numbers are written as numbers');
  if (format === 'npy') await sink.write(npyHeader(keyType, array.length));
  await writeRaw(sink, array, (completed, total) =>
    tell({ doing: 'writing', completed, total, unit: 'bytes' }),
  );
}

/** The first row that belongs before the one in front of it, or −1: where `order` descends. */
function misplacedIn(order: Uint32Array): number {
  const places = new Uint32Array(order.length);
  order.forEach((row, place) => {
    places[row] = place;
  });
  return places.findIndex((place, row) => row > 0 && place < (places[row - 1] as number));
}

async function perform(): Promise<Result> {
  const { input, goal, head, order, backend, outputFormat } = command;
  let report: SortReport | undefined;
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
    onReport: (given: SortReport) => {
      report = given;
    },
  };
  const sorter = await sorterOf(command);
  try {
    const source = await openInput(input, standardInput, tell);
    try {
      if (goal === 'values' && input.format !== 'records') {
        const keys = await readNumbers(source, input, tell);
        const column = 'columns' in input ? input.columns[0] : undefined;
        await sorter.sort(keys, { ...options, order: column?.order ?? order });
        await writeNumbers(head === undefined ? keys : keys.subarray(0, head), outputFormat);
        return { report, misplaced: -1 };
      }
      const rows = await readRows(source, input, command, tell, (columns) =>
        sorter.argsort(columns, { backend }),
      );
      const sorted = await sorter.argsort(rows.columns, {
        ...options,
        order: rows.order ?? order,
      });
      if (goal === 'check') return { report, misplaced: misplacedIn(sorted) };
      const first = head === undefined ? sorted : sorted.subarray(0, head);
      if (goal === 'order') await writeNumbers(first, outputFormat);
      else await rows.write(sink, first);
      return { report, misplaced: -1 };
    } finally {
      await source.close();
    }
  } finally {
    await sorter.close();
  }
}

try {
  send({ kind: 'done', ...(await perform()) });
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  send({ kind: 'failed', message, isUsage: error instanceof UsageError });
}
