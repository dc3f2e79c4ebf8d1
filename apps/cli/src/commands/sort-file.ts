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
import type { Storage } from '@keysweep/external/storage';
import type { SortCommand } from '../arguments/command.js';
import { haveAddress, remoteStorage } from '../io/addresses.js';
import { onInterrupt, untilInterrupt } from '../io/interrupt.js';
import { isStream } from '../io/kind.js';
import { isReplaced, openOutput } from '../io/output.js';
import { openSource, streamOf } from '../io/source.js';
import { say } from '../io/terminal.js';
import { sorterOf } from '../job/sorter.js';
import { assertNoText, SAMPLE } from '../job/text.js';
import { onlyGiven } from '../only-given.js';
import { createProgress, type Progress, type Step } from '../text/progress.js';
import { formatFileReport, jsonOf } from '../text/report.js';
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
  if (haveAddress([command.input.path, command.output, command.tmp])) {
    // An upload is given up by a request, so a signal ends the sort first.
    return untilInterrupt((signal) => sortFiles(command, signal));
  }
  const forgetInterrupt = onInterrupt(removeTemporaries);
  try {
    await sortFiles(command);
  } finally {
    forgetInterrupt();
  }
}

async function sortFiles(command: SortCommand, signal?: AbortSignal): Promise<void> {
  const storage = remoteStorage();
  const progress = createProgress(process.stderr);
  // Child processes have sorters of their own.
  const sorter = command.processes === undefined ? await sorterOf(command) : undefined;
  let report: FileReport | undefined;
  try {
    const input = await inputOf(command, storage);
    await sortInto(command, input, {
      ...optionsOf(command, progress),
      storage,
      ...onlyGiven({ signal, sorter }),
      onReport: (given) => {
        report = given;
      },
    });
  } finally {
    progress.clear();
    await sorter?.close();
  }
  if (command.report !== undefined && report !== undefined) {
    say(command.report === 'json' ? jsonOf(report) : formatFileReport(report));
  }
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
    ...onlyGiven({ memory, tmp, processes }),
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

/** The name of a file, or a stream of what is none. @throws UsageError for text */
async function inputOf({ input }: SortCommand, storage: Storage): Promise<SortInput> {
  const { path } = input;
  if (path === undefined || (!haveAddress([path]) && isStream(path))) {
    return withoutText(streamOf(path), path === undefined ? 'standard input' : `'${path}'`, input);
  }
  const start = haveAddress([path]) ? await startOfObject(storage, path) : await startOfFile(path);
  assertNoText(start, `'${path}'`, input);
  return path;
}

async function startOfFile(path: string): Promise<Uint8Array> {
  const source = await openSource(path, () => {});
  try {
    return await source.read(0, Math.min(source.size, SAMPLE));
  } finally {
    await source.close();
  }
}

async function startOfObject(storage: Storage, address: string): Promise<Uint8Array> {
  const file = await storage.open(address);
  try {
    const start = new Uint8Array(Math.min(file.size, SAMPLE));
    await file.read(start, 0);
    return start;
  } finally {
    await file.close();
  }
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

/** A file or object is replaced by sortFile itself; pipes and devices take bytes as they come. */
async function sortInto(
  { output }: SortCommand,
  input: SortInput,
  options: SortFileOptions,
): Promise<void> {
  const isFile = output !== undefined && (haveAddress([output]) || isReplaced(output));
  if (isFile) return sortFile(input, output, options);
  const opened = await openOutput(output);
  try {
    await sortFile(input, opened, options);
    await opened.commit();
  } catch (error) {
    await opened.discard();
    throw error;
  }
}
