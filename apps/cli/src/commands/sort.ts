/** `keysweep sort`: read, sort, write. */

import { endianness } from 'node:os';
import { type ByteSink, keyArrayClass } from '@keysweep/files';
import type { SortCommand } from '../arguments/command.js';
import { Failure, UsageError } from '../failure.js';
import { isText } from '../formats.js';
import { openOutput } from '../io/output.js';
import { readStandardInput } from '../io/source.js';
import { say, shownOn } from '../io/terminal.js';
import type { Performer } from '../job/job.js';
import type { Result } from '../job/protocol.js';
import { formatCount } from '../text/format.js';
import { createProgress, type Progress } from '../text/progress.js';
import { formatReport, jsonOf } from '../text/report.js';

/**
 * Carries out `command`, with `performer` for the reading, the sorting and the encoding.
 * @throws Failure, or what a sort rejects with; the output is then as it was before. UsageError for
 *   text where numbers are wanted.
 */
export async function runSort(command: SortCommand, performer: Performer): Promise<void> {
  assertLittleEndian(endianness());
  assertNoTerminal(command);
  const { input } = command;
  if ('keyType' in input && input.keyType !== undefined) keyArrayClass(input.keyType);
  const progress = createProgress(process.stderr);
  let result: Result;
  try {
    result =
      command.goal === 'check'
        ? await perform(command, performer, NOTHING, progress)
        : await performInto(command, performer, progress);
  } finally {
    progress.clear();
  }
  const { report, phases, misplaced, lines } = result;
  if (command.report !== undefined && report !== undefined) {
    say(command.report === 'json' ? jsonOf({ ...report, phases }) : formatReport(report, phases));
  }
  if (misplaced !== -1) {
    const name = input.path === undefined ? 'standard input' : `'${input.path}'`;
    const [what, places] =
      lines === undefined ? ['row', [misplaced, misplaced - 1]] : ['line', lines];
    const [own, before] = places.map(formatCount);
    throw new Failure(
      `${name} is not sorted: ${what} ${own} belongs before ${what} ${before} ` +
        `(the first ${what} is ${lines === undefined ? 0 : 1})`,
    );
  }
}

/** For a job that writes nothing. */
const NOTHING: ByteSink = { write: () => Promise.reject(new Error('nothing is to be written')) };

async function performInto(
  command: SortCommand,
  performer: Performer,
  progress: Progress,
): Promise<Result> {
  const output = await openOutput(command.output);
  try {
    const isTerminal = command.output === undefined && process.stdout.isTTY;
    const isShown = isTerminal && isText(command.outputFormat) && !command.explicitOutput;
    const sink = isShown ? shownOn(output) : output;
    const result = await perform(command, performer, sink, progress);
    await output.commit();
    return result;
  } catch (error) {
    await output.discard();
    throw error;
  }
}

async function perform(
  command: SortCommand,
  performer: Performer,
  sink: ByteSink,
  progress: Progress,
): Promise<Result> {
  // Only the main thread has standard input as a stream.
  const standardInput =
    command.input.path === undefined
      ? await readStandardInput(
          (completed) =>
            progress.update({ doing: 'reading', completed, total: undefined, unit: 'bytes' }),
          command.memory,
        )
      : undefined;
  return performer.run({ command, standardInput }, sink, progress);
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
export function assertNoTerminal({
  input,
  output,
  outputFormat,
  explicitOutput,
  goal,
}: SortCommand): void {
  if (input.path === undefined && process.stdin.isTTY) {
    throw new UsageError('name an INPUT file, or pipe values in: standard input is a terminal');
  }
  const isShown = goal === 'check' || isText(outputFormat);
  if (!isShown && output === undefined && !explicitOutput && process.stdout.isTTY) {
    throw new UsageError(
      'name a file with -o, or pipe the values on: standard output is a terminal',
    );
  }
}
