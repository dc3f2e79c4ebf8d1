/** One piece of work on the GPU: words in, sorted words out. */

import { BackendFailedError, keyTraits } from '@keysweep/core';
import { OutOfMemory, Watch } from '../device/errors.js';
import type { Session } from '../device/session.js';
import { THREADS } from '../sorter/constants.js';
import { pipelinesFor } from '../sorter/pipelines.js';
import type { RadixSorter } from '../sorter/radix-sorter.js';
import { groupCountOf } from '../sorter/segments.js';
import type { GpuCourse } from './gpu-lifecycle.js';
import { Loans } from './leases.js';
import { Readings } from './readback.js';
import { type Load, Upload } from './upload.js';
import { Words } from './words.js';
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
  course: GpuCourse,
  use: (sorted: Sorted) => T,
): Promise<T> {
  const { device, memory } = session;
  const loans = new Loans(session);
  const watch = new Watch(device);
  try {
    course.enter('upload');
    const upload = new Upload(session, loans, watch, course);
    const readings = new Readings(work, memory, loans, session.timestamps);
    try {
      await submit(device, work, { loans, watch, upload, readings });
    } catch (cause) {
      const error = await watch.error();
      // Otherwise it is the course that has ended.
      throw error === undefined ? cause : await failure(session, error);
    }
    // All of it is on its way by now.
    course.enter('sort');
    const error = await watch.error();
    if (error !== undefined) throw await failure(session, error);
    const fail = async (cause: unknown): Promise<never> => {
      throw await failure(session, cause);
    };
    await readings.sorted.catch(fail);
    course.enter('readback');
    await readings.fetched.catch(fail);
    course.goOn();
    let sorted: Sorted;
    try {
      sorted = readings.read();
      course.addGpuTime(readings.gpuMilliseconds);
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
async function failure(session: Session, cause: unknown): Promise<Error> {
  if (cause instanceof OutOfMemory) return cause;
  // Browsers tell of a loss later than of what comes of it, but before they answer this.
  await session.device.queue.onSubmittedWorkDone().catch(() => {});
  const what = session.lost ?? (cause as Error).message;
  return new BackendFailedError('webgpu', what, { cause });
}

/** What a piece of work is submitted with. */
interface Means {
  readonly loans: Loans;
  readonly watch: Watch;
  readonly upload: Upload;
  readonly readings: Readings;
}

/** Uploads and submits all of `work`, and what brings it back. Pauses only where much is uploaded. */
async function submit(device: GPUDevice, work: Work, means: Means): Promise<void> {
  const { loans, watch, upload, readings } = means;
  const { columns, payload, count } = work;
  const widest = Math.max(...columns.map(wordsPerKey));
  const valueWords = payload === undefined ? 0 : payload === 'index' ? 1 : payload.wordsPer;
  const records = watch.during(() => ({
    keys: loans.buffer(4 * widest * count),
    values: valueWords === 0 ? undefined : loans.buffer(4 * valueWords * count),
  }));
  // Least significant column first; each is brought into the order that the ones before gave.
  for (const [i, column] of columns.toReversed().entries()) {
    const isFirst = i === 0;
    const target = isFirst
      ? records.keys
      : watch.during(() => loans.buffer(column.words.byteLength));
    const loads: Load[] = [{ words: column.words, target }];
    // There is but one column then.
    if (typeof payload === 'object') {
      loads.push({ words: payload.words, target: records.values as GPUBuffer });
    }
    await upload.large(loads);
    watch.during(() => {
      upload.small(loads);
      const encoder = device.createCommandEncoder({ label: 'keysweep' });
      if (!isFirst) gather(device, encoder, column, target, records, count);
      else if (payload === 'index') identity(device, encoder, column, records, count);
      record(encoder, i, records, work, means);
      device.queue.submit([encoder.finish()]);
      if (i === columns.length - 1) readings.fetch(device);
    });
  }
}

/** The buffers that are sorted. */
interface Records {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | undefined;
}

/** Records the sort of the column that is `i`th from the last, and what is read back after it. */
function record(
  encoder: GPUCommandEncoder,
  i: number,
  records: Records,
  work: Work,
  means: Means,
): void {
  const { columns, payload, segments, count } = work;
  const { loans, readings } = means;
  const { keys, values } = records;
  const column = columns.at(-1 - i) as Column;
  const valueWords = payload === undefined ? 0 : payload === 'index' ? 1 : payload.wordsPer;
  const sorter = loans.sorter(column, valueWords, work);
  const timestampWrites = readings.timestampWrites(i);
  if (segments === undefined) sorter.encodeTimed(encoder, { keys, values, count }, timestampWrites);
  else encodeSegments(encoder, sorter, segments, records, means);
  // Before the last column, the only one of keys alone.
  if (i === columns.length - 1) {
    if (payload !== 'index') readings.copyKeys(encoder, keys);
    if (values !== undefined) readings.copyPayload(encoder, values);
    readings.copyTimes(encoder);
  }
  if (sorter.plan !== undefined && segments === undefined) {
    readings.copyPlan(encoder, sorter.plan, i);
  }
}

const wordsPerKey = ({ keyType }: Column): 1 | 2 => (keyTraits(keyType).bits === 64 ? 2 : 1);

function identity(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  column: Column,
  { values }: Records,
  count: number,
): void {
  const pipelines = pipelinesOf(device, column);
  const permutation = { buffer: values as GPUBuffer, size: 4 * count };
  const pass = encoder.beginComputePass({ label: 'keysweep identity' });
  pass.setPipeline(pipelines.get('identity'));
  pass.setBindGroup(0, pipelines.group('permutation', [permutation]));
  pass.dispatchWorkgroups(Math.min(STRIDERS, Math.ceil(count / THREADS)));
  pass.end();
}

function gather(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  column: Column,
  unsorted: GPUBuffer,
  { keys, values }: Records,
  count: number,
): void {
  const pipelines = pipelinesOf(device, column);
  const size = column.words.byteLength;
  const pass = encoder.beginComputePass({ label: 'keysweep gather' });
  pass.setPipeline(pipelines.get('gather'));
  pass.setBindGroup(
    0,
    pipelines.group('gather', [
      { buffer: values as GPUBuffer, size: 4 * count },
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
  encoder: GPUCommandEncoder,
  sorter: RadixSorter,
  { starts, groups }: NonNullable<Work['segments']>,
  { keys, values }: Records,
  { loans, upload, readings }: Means,
): void {
  if (groups.length === 0) return;
  const bind = (table: Uint32Array): GPUBufferBinding => {
    const words = new Words(table, 0);
    const buffer = loans.buffer(words.byteLength);
    upload.write({ words, target: buffer });
    return { buffer, size: words.byteLength };
  };
  const records = values === undefined ? [keys] : [keys, values];
  sorter.encodeSegments(
    encoder,
    records.map((buffer) => ({ buffer })),
    { groups: bind(groups), starts: bind(starts), groupCount: groupCountOf(groups) },
    readings.timestampWrites(0),
  );
}
