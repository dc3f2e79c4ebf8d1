/** One piece of work on the GPU: words in, sorted words out. */

import { BackendFailedError, keyTraits } from '@keysweep/core';
import { THREADS } from './constants.js';
import type { Course } from './course.js';
import { Loans } from './loans.js';
import { pipelinesFor } from './pipelines.js';
import type { RadixSorter } from './radix-sorter.js';
import { Readings } from './readings.js';
import { groupCountOf } from './segments.js';
import type { Session } from './session.js';
import { OutOfMemory, watch } from './watch.js';
import type { Column, Sorted, Work } from './work.js';

/** Workgroups of kernels that stride over their data. */
const STRIDERS = 2048;

/**
 * Sorts `work` on the session's device, and hands the result to `use` when it is whole.
 * @throws OutOfMemory, BackendFailedError; what `course` or `use` throws.
 */
export async function execute<T>(
  session: Session,
  work: Work,
  course: Course,
  use: (sorted: Sorted) => T,
): Promise<T> {
  const { device } = session;
  const loans = new Loans(session);
  try {
    course.enter('upload');
    const watching = watch(device, () => {
      const readings = record(device, work, loans);
      const mapped = readings.map();
      // What was wrong before says more than that there is nothing to map.
      mapped.catch(() => {});
      return { readings, mapped };
    });
    // All of it is on its way by now.
    course.enter('sort');
    const { value, error } = await watching;
    if (error instanceof OutOfMemory) throw error;
    if (error !== undefined) throw await failure(session, error);
    const { readings, mapped } = value as NonNullable<typeof value>;
    await mapped.catch(async (cause: unknown) => {
      throw await failure(session, cause);
    });
    course.enter('readback');
    let sorted: Sorted;
    try {
      sorted = readings.read();
    } catch (cause) {
      // The device was lost after its work was done.
      throw await failure(session, cause);
    }
    const result = use(sorted);
    loans.giveBack();
    return result;
  } finally {
    loans.destroy();
  }
}

/** What to throw for `cause`. */
async function failure(session: Session, cause: unknown): Promise<BackendFailedError> {
  // Browsers tell of a loss later than of what comes of it, but before they answer this.
  await session.device.queue.onSubmittedWorkDone().catch(() => {});
  const what = session.lost ?? (cause as Error).message;
  return new BackendFailedError('webgpu', what, { cause });
}

/** Uploads, records and submits all of `work`. */
function record(device: GPUDevice, work: Work, loans: Loans): Readings {
  const { columns, payload, count } = work;
  const widest = Math.max(...columns.map(wordsPerKey));
  const keys = loans.buffer(4 * widest * count);
  const valueWords = payload === undefined ? 0 : payload === 'index' ? 1 : payload.wordsPer;
  const values = valueWords === 0 ? undefined : loans.buffer(4 * valueWords * count);
  const readings = new Readings(work, loans);

  // Least significant column first; each is brought into the order that the ones before gave.
  for (const [i, column] of columns.toReversed().entries()) {
    const encoder = device.createCommandEncoder({ label: 'keysweep' });
    if (i === 0) {
      write(device, keys, column.words);
      if (payload === 'index') identity(device, encoder, column, values as GPUBuffer, count);
      else if (payload !== undefined) write(device, values as GPUBuffer, payload.words);
    } else {
      const unsorted = loans.buffer(column.words.byteLength);
      write(device, unsorted, column.words);
      gather(device, encoder, column, [values as GPUBuffer, unsorted, keys], count);
    }
    const sorter = loans.sorter(column, valueWords, work);
    if (work.segments === undefined) sorter.encode(encoder, { keys, values, count });
    else encodeSegments(device, encoder, sorter, work, loans, [keys, values]);
    // Before the last column, the only one of keys alone.
    if (i === columns.length - 1) {
      if (payload !== 'index') readings.copyKeys(encoder, keys);
      if (values !== undefined) readings.copyPayload(encoder, values);
    }
    if (sorter.plan !== undefined && work.segments === undefined) {
      readings.copyPlan(encoder, sorter.plan, i);
    }
    device.queue.submit([encoder.finish()]);
  }
  return readings;
}

const wordsPerKey = ({ keyType }: Column): 1 | 2 => (keyTraits(keyType).bits === 64 ? 2 : 1);

/** Words copied at a time where they can't be written as they are. */
const STEP_WORDS = 2 ** 20;

function write(device: GPUDevice, buffer: GPUBuffer, words: Uint32Array): void {
  const { queue } = device;
  const from: ArrayBufferLike & { readonly resizable?: boolean } = words.buffer;
  if (from instanceof ArrayBuffer && !from.resizable) {
    queue.writeBuffer(buffer, 0, words as Uint32Array<ArrayBuffer>);
    return;
  }
  // Browsers refuse resizable memory here, and Dawn for Node ends the process for shared memory.
  for (let at = 0; at < words.length; at += STEP_WORDS) {
    queue.writeBuffer(buffer, 4 * at, new Uint32Array(words.subarray(at, at + STEP_WORDS)));
  }
}

function identity(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  column: Column,
  values: GPUBuffer,
  count: number,
): void {
  const pipelines = pipelinesOf(device, column);
  const pass = encoder.beginComputePass({ label: 'keysweep identity' });
  pass.setPipeline(pipelines.get('identity'));
  pass.setBindGroup(0, pipelines.group('permutation', [{ buffer: values, size: 4 * count }]));
  pass.dispatchWorkgroups(Math.min(STRIDERS, Math.ceil(count / THREADS)));
  pass.end();
}

function gather(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  column: Column,
  [permutation, unsorted, keys]: readonly [GPUBuffer, GPUBuffer, GPUBuffer],
  count: number,
): void {
  const pipelines = pipelinesOf(device, column);
  const size = column.words.byteLength;
  const pass = encoder.beginComputePass({ label: 'keysweep gather' });
  pass.setPipeline(pipelines.get('gather'));
  pass.setBindGroup(
    0,
    pipelines.group('gather', [
      { buffer: permutation, size: 4 * count },
      { buffer: unsorted, size },
      { buffer: keys, size },
    ]),
  );
  pass.dispatchWorkgroups(Math.min(STRIDERS, Math.ceil(count / THREADS)));
  pass.end();
}

const pipelinesOf = (device: GPUDevice, column: Column): ReturnType<typeof pipelinesFor> =>
  pipelinesFor(device, { keyWords: wordsPerKey(column), valueWords: 1, approximate: false });

function encodeSegments(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  sorter: RadixSorter,
  { segments }: Work,
  loans: Loans,
  [keys, values]: readonly [GPUBuffer, GPUBuffer | undefined],
): void {
  const { starts, groups } = segments as NonNullable<Work['segments']>;
  if (groups.length === 0) return;
  const bind = (words: Uint32Array): GPUBufferBinding => {
    const buffer = loans.buffer(words.byteLength);
    write(device, buffer, words);
    return { buffer, size: words.byteLength };
  };
  const records = values === undefined ? [keys] : [keys, values];
  sorter.encodeSegments(
    encoder,
    records.map((buffer) => ({ buffer })),
    { groups: bind(groups), starts: bind(starts), groupCount: groupCountOf(groups) },
  );
}
