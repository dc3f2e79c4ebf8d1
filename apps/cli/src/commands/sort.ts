/** `keysweep sort`: read, sort, write. */

import { endianness } from 'node:os';
import type { KeyArray } from '@keysweep/core';
import { keyArrayClass, openTable, writeRaw } from '@keysweep/files';
import { createSorter, type SortOptions, type SortReport } from 'keysweep';
import type { Input, SortCommand } from '../arguments.js';
import { Failure, UsageError } from '../failure.js';
import { openOutput } from '../io/output.js';
import { openSource } from '../io/source.js';
import { createProgress, type Progress } from '../text/progress.js';
import { formatReport } from '../text/report.js';

/**
 * Carries out `command`.
 * @throws Failure, or what a sort rejects with; the output is then as it was before.
 */
export async function runSort(command: SortCommand): Promise<void> {
  assertLittleEndian(endianness());
  assertNoTerminal(command);
  if (command.input.keyType !== undefined) keyArrayClass(command.input.keyType);
  const output = await openOutput(command.output);
  const progress = createProgress(process.stderr);
  let report: SortReport | undefined;
  try {
    const columns = await readInput(command.input, progress);
    const sorted = await sortColumns(columns, command, {
      onProgress: ({ phase, completed, total }) => {
        const doing = phase === 'sort' ? 'sorting' : `sorting: ${phase}`;
        progress.update({ doing, completed, total, unit: 'steps' });
      },
      onReport: (given) => {
        report = given;
      },
    });
    await writeRaw(output, sorted, (completed, total) => {
      progress.update({ doing: 'writing', completed, total, unit: 'bytes' });
    });
    await output.commit();
  } catch (error) {
    await output.discard();
    throw error;
  } finally {
    progress.clear();
  }
  if (command.report && report !== undefined) process.stderr.write(formatReport(report));
}

/**
 * The command reads and writes numbers in the machine's byte order.
 * @throws Failure on a big-endian machine.
 */
export function assertLittleEndian(order: 'LE' | 'BE'): void {
  if (order === 'LE') return;
  throw new Failure('this machine is big-endian, and keysweep sort reads and writes little-endian');
}

/** Refuses to read binary values from a terminal, or to write them to one. */
function assertNoTerminal({ input, output, explicitOutput }: SortCommand): void {
  if (input.path === undefined && process.stdin.isTTY) {
    throw new UsageError('name an INPUT file, or pipe values in: standard input is a terminal');
  }
  if (output === undefined && !explicitOutput && process.stdout.isTTY) {
    throw new UsageError(
      'name a file with -o, or pipe the values on: standard output is a terminal',
    );
  }
}

/** The columns to sort by, most significant first. */
async function readInput(input: Input, progress: Progress): Promise<[KeyArray, ...KeyArray[]]> {
  const names = input.format === 'raw' ? ['values'] : input.columns;
  let columnsRead = 0;
  const source = await openSource(input.path, (completed) =>
    progress.update({ doing: 'reading', completed, total: undefined, unit: 'bytes' }),
  );
  try {
    const table = await openTable(source, input, ({ completed, total, unit }) => {
      // The bytes are those of the file, the rows those of one column.
      progress.update(
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
  callbacks: Pick<SortOptions, 'onProgress' | 'onReport'>,
): Promise<KeyArray> {
  const options: SortOptions = { order, backend, ...callbacks };
  const sorter = await createSorter();
  try {
    return argsort
      ? await sorter.argsort(columns, options)
      : await sorter.sort(columns[0], options);
  } finally {
    await sorter.close();
  }
}
