/** `keysweep sort` of what does not fit into memory: by @keysweep/external. */

import { endianness } from 'node:os';
import {
  type FileProgress,
  type FileReport,
  removeTemporaries,
  type SortFileOptions,
  type SortInput,
  sortFile,
} from '@keysweep/external';
import type { SortCommand } from '../arguments/command.js';
import { onInterrupt } from '../io/interrupt.js';
import { isReplaced, openOutput } from '../io/output.js';
import { openSource, standardInput } from '../io/source.js';
import { sorterOf } from '../job/sorter.js';
import { assertNoText, SAMPLE } from '../job/text.js';
import { createProgress, type Progress, type Step } from '../text/progress.js';
import { formatFileReport } from '../text/report.js';
import { assertLittleEndian, assertNoTerminal } from './sort.js';

const DOING: Readonly<Record<FileProgress['phase'], string>> = {
  spool: 'reading',
  sample: 'sampling',
  partition: 'dividing',
  sort: 'sorting',
};

/**
 * Carries out `command`, on this thread: a signal is looked at between two steps of it.
 * @throws ExternalError, Failure, or what a sort rejects with; the output is then as it was before.
 *   UsageError for text where numbers are wanted.
 */
export async function runSortFile(command: SortCommand): Promise<void> {
  assertLittleEndian(endianness());
  assertNoTerminal(command);
  const progress = createProgress(process.stderr);
  const forgetInterrupt = onInterrupt(removeTemporaries);
  // Child processes have sorters of their own.
  const sorter = command.processes === undefined ? await sorterOf(command) : undefined;
  let report: FileReport | undefined;
  try {
    const input = await inputOf(command);
    await sortInto(command, input, {
      ...optionsOf(command, progress),
      ...(sorter !== undefined && { sorter }),
      onReport: (given) => {
        report = given;
      },
    });
  } finally {
    forgetInterrupt();
    progress.clear();
    await sorter?.close();
  }
  if (command.report && report !== undefined) process.stderr.write(formatFileReport(report));
}

function optionsOf(
  { input, order, memory, tmp, unique, resume, processes }: SortCommand,
  progress: Progress,
): SortFileOptions {
  return {
    ...layoutOf(input),
    order,
    unique,
    resume,
    ...(memory !== undefined && { memory }),
    ...(tmp !== undefined && { tmp }),
    ...(processes !== undefined && { processes }),
    onProgress: ({ phase, completed, total }) => {
      const step: Step = { doing: DOING[phase], completed, total, unit: 'bytes' };
      progress.update(step);
    },
  };
}

/** What is sorted, in the words of @keysweep/external. */
function layoutOf(input: SortCommand['input']): Pick<SortFileOptions, 'type' | 'record'> {
  if (input.format === 'raw') return { type: input.keyType };
  if (input.format === 'records') return { record: { bytes: input.width, keys: input.keys } };
  throw new Error('only bare numbers and records are sorted by files');
}

/** The path of a file, or a stream of what is none. @throws UsageError for text */
async function inputOf({ input }: SortCommand): Promise<SortInput> {
  if (input.path === undefined) return withoutText(standardInput(), 'standard input', input);
  const source = await openSource(input.path, () => {});
  try {
    const start = await source.read(0, Math.min(source.size, SAMPLE));
    assertNoText(start, source.name, input);
  } finally {
    await source.close();
  }
  return input.path;
}

/** The stream, whose first bytes are looked at. */
async function* withoutText(
  stream: AsyncIterable<Uint8Array>,
  name: string,
  input: SortCommand['input'],
): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of stream) {
    if (isFirst) assertNoText(chunk, name, input);
    isFirst = false;
    yield chunk;
  }
}

/** A file is replaced by sortFile itself; pipes and devices take the bytes as they come. */
async function sortInto(
  { output }: SortCommand,
  input: SortInput,
  options: SortFileOptions,
): Promise<void> {
  if (output !== undefined && isReplaced(output)) return sortFile(input, output, options);
  const opened = await openOutput(output);
  try {
    await sortFile(input, opened, options);
    await opened.commit();
  } catch (error) {
    await opened.discard();
    throw error;
  }
}
