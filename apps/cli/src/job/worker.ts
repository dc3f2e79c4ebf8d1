/** The thread that reads and sorts. */

import { once } from 'node:events';
import { type MessagePort, parentPort } from 'node:worker_threads';
import type { KeyArray } from '@keysweep/core';
import { openTable } from '@keysweep/files';
import { createSorter, type SortReport } from 'keysweep';
import type { Input, SortCommand } from '../arguments.js';
import { Failure } from '../failure.js';
import { heldSource, openSource } from '../io/source.js';
import type { Step } from '../text/progress.js';
import type { FromJob, Job } from './protocol.js';

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

/** The columns to sort by, most significant first. */
async function readInput(input: Input): Promise<[KeyArray, ...KeyArray[]]> {
  const names = input.format === 'raw' ? ['values'] : input.columns;
  let columnsRead = 0;
  const source =
    standardInput === undefined
      ? await openSource(input.path as string, (completed) =>
          tell({ doing: 'reading', completed, total: undefined, unit: 'bytes' }),
        )
      : heldSource('standard input', standardInput);
  try {
    const table = await openTable(source, input, ({ completed, total, unit }) => {
      // The bytes are those of the file, the rows those of one column.
      tell(
        unit === 'bytes'
          ? { doing: 'reading', completed, total, unit }
          : {
              doing: 'reading',
              completed: columnsRead * total + completed,
              total: names.length * total,
              unit: 'steps',
            },
      );
    });
    const columns: KeyArray[] = [];
    for (const name of names) {
      const type = table.columns.find((column) => column.name === name)?.keyType;
      if (input.keyType !== undefined && type !== undefined && input.keyType !== type) {
        throw new Failure(
          `--type says ${input.keyType}, but column '${name}' of '${input.path}' is ${type}`,
        );
      }
      columns.push(await table.read(name));
      columnsRead++;
    }
    return columns as [KeyArray, ...KeyArray[]];
  } finally {
    await source.close();
  }
}

async function sortColumns(
  columns: readonly [KeyArray, ...KeyArray[]],
  { argsort, order, backend }: SortCommand,
): Promise<{ sorted: KeyArray; report: SortReport | undefined }> {
  let report: SortReport | undefined;
  const sorter = await createSorter();
  try {
    const options = {
      order,
      backend,
      onProgress: ({
        phase,
        completed,
        total,
      }: { phase: string } & Pick<Step, 'completed' | 'total'>) =>
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
    const sorted = argsort
      ? await sorter.argsort(columns, options)
      : await sorter.sort(columns[0], options);
    return { sorted, report };
  } finally {
    await sorter.close();
  }
}

try {
  const { sorted, report } = await sortColumns(await readInput(command.input), command);
  send({ kind: 'done', sorted, report }, [sorted.buffer as ArrayBuffer]);
} catch (error) {
  send({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
}
