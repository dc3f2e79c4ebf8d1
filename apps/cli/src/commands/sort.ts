/** `keysweep sort`: read, sort, write. */

import { endianness } from 'node:os';
import { keyArrayClass, writeRaw } from '@keysweep/files';
import type { SortCommand } from '../arguments.js';
import { Failure, UsageError } from '../failure.js';
import { openOutput } from '../io/output.js';
import { readStandardInput } from '../io/source.js';
import type { JobThread, Result } from '../job/job.js';
import { createProgress, type Progress } from '../text/progress.js';
import { formatReport } from '../text/report.js';

/**
 * Carries out `command`, with `thread` for the reading and the sorting.
 * @throws Failure, or what a sort rejects with; the output is then as it was before.
 */
export async function runSort(command: SortCommand, thread: JobThread): Promise<void> {
  assertLittleEndian(endianness());
  assertNoTerminal(command);
  if (command.input.keyType !== undefined) keyArrayClass(command.input.keyType);
  const output = await openOutput(command.output);
  const progress = createProgress(process.stderr);
  let result: Result;
  try {
    result = await readAndSort(command, thread, progress);
    await writeRaw(output, result.sorted, (completed, total) => {
      progress.update({ doing: 'writing', completed, total, unit: 'bytes' });
    });
    await output.commit();
  } catch (error) {
    await output.discard();
    throw error;
  } finally {
    progress.clear();
  }
  const { report } = result;
  if (command.report && report !== undefined) process.stderr.write(formatReport(report));
}

async function readAndSort(
  command: SortCommand,
  thread: JobThread,
  progress: Progress,
): Promise<Result> {
  // Only the main thread has standard input as a stream.
  const standardInput =
    command.input.path === undefined
      ? await readStandardInput((completed) =>
          progress.update({ doing: 'reading', completed, total: undefined, unit: 'bytes' }),
        )
      : undefined;
  return thread.run({ command, standardInput }, progress);
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
