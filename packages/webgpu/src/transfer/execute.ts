/** One piece of work on the GPU: upload, sort column by column, read back. */

import {
  BackendFailedError,
  type GpuRequest,
  type KeyBits,
  type KeyType,
  keyTraits,
  type Order,
} from '@keysweep/core';
import { THREADS } from '@keysweep/kernels/wgsl';
import { ErrorScopes, OutOfMemoryError } from '../device/errors.js';
import { type GpuValueType, maxRecords, widthsOf } from '../sorter/arguments/options.js';
import type { RadixSorter } from '../sorter/radix-sorter.js';
import { recordsIn } from '../sorter/recording/device-sort.js';
import { pipelinesFor } from '../sorter/recording/pipelines.js';
import { groupCountOf } from '../sorter/sorts/workgroup-sort.js';
import { tryKernels } from '../sorter/trial/trial.js';
import { allocationSize, Leases } from './pool.js';
import { Readback, type Sorted, type Targets } from './readback.js';
import type { Session } from './session.js';
import { type Load, Upload, Words } from './upload.js';

/** A column of keys. */
export interface Column {
  readonly words: Words;
  readonly keyType: KeyType;
  readonly order: Order;
  readonly keyBits?: KeyBits | undefined;
}

/** Payloads of a whole number of words, or the indices of the rows, which the GPU makes. */
type Payload = { readonly words: Words; readonly wordsPer: 1 | 2 } | 'index';

/** What to sort. Several columns, most significant first, need the payload 'index'. */
export interface Work {
  readonly columns: readonly [Column, ...Column[]];
  readonly payload: Payload | undefined;
  readonly count: number;
  /** Segments of the one column, and what groupSegments made of them. */
  readonly segments?: { readonly starts: Uint32Array; readonly groups: Uint32Array } | undefined;
  readonly approximate: boolean;
  /** Bits of the range of the one column that decide at least; absent: all. */
  readonly precision?: number | undefined;
}

/** Most workgroups of the gather, which takes any number of them. */
const MAX_GATHER_GROUPS = 2048;

/**
 * Sorts `work` on the session's device, and brings the whole result to `targets`. `meanwhile` is
 * called once all is submitted.
 * @throws OutOfMemoryError, BackendFailedError; what `lifecycle`, `meanwhile` or a target throws.
 */
export async function execute(
  session: Session,
  work: Work,
  lifecycle: GpuRequest,
  targets: Targets,
  meanwhile?: () => Promise<void>,
): Promise<Sorted> {
  const { device, pool } = session;
  await tryAll(session, work);
  const leases = new Leases(device, pool);
  const scopes = new ErrorScopes(device);
  try {
    lifecycle.enter('upload');
    const upload = new Upload(session, leases, scopes, lifecycle);
    const readback = new Readback(session, work.columns.length, leases, scopes);
    await submit(session, work, { leases, scopes, upload, readback, targets });
    // All of it is submitted.
    lifecycle.enter('sort');
    await meanwhile?.();
    const error = await scopes.error();
    if (error !== undefined) throw error;
    await scopes.wait(readback.sorted);
    lifecycle.enter('readback');
    const sorted = await readback.deliver(lifecycle);
    leases.returnAll();
    return sorted;
  } catch (cause) {
    lifecycle.undo();
    const error = await scopes.error();
    // Without an error of the device the request has ended: aborted, or an array detached.
    throw error === undefined ? cause : await failure(session, error);
  } finally {
    leases.destroy();
  }
}

/** Has the kernels tried that will sort `work`. */
async function tryAll(session: Session, work: Work): Promise<void> {
  const { columns, segments, approximate, count: maxCount } = work;
  if (segments !== undefined) return;
  const valueType = valueTypeOf(work);
  for (const { keyType } of columns) {
    const options = { keyType, valueType, approximate, maxCount };
    try {
      await tryKernels(session.device, options, maxCount, (lost) => session.warnings.push(lost));
    } catch (cause) {
      throw await failure(session, cause);
    }
  }
}

/** What to throw for `cause`. */
async function failure(session: Session, cause: unknown): Promise<Error> {
  if (cause instanceof OutOfMemoryError) return cause;
  // Browsers report a loss after its consequences, but before they answer this.
  await session.device.queue.onSubmittedWorkDone().catch(() => {});
  const what = session.lost ?? (cause as Error).message;
  return new BackendFailedError('webgpu', what, { cause });
}

/** The steps of one piece of work, and the memory that they use. */
interface Steps {
  readonly leases: Leases;
  readonly scopes: ErrorScopes;
  readonly upload: Upload;
  readonly readback: Readback;
  readonly targets: Targets;
}

/** The buffers that are sorted. */
interface Records {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | undefined;
}

/** Uploads and submits all of `work`, and its readback. Pauses only where much is uploaded. */
async function submit(session: Session, work: Work, steps: Steps): Promise<void> {
  const { leases, scopes, upload, readback, targets } = steps;
  const { device } = session;
  const { columns, payload, count } = work;
  const widest = Math.max(...columns.map(wordsPerKey));
  const valueWords = valueWordsOf(work);
  const records: Records = scopes.run(() => ({
    keys: leases.buffer(4 * widest * count),
    values: valueWords === 0 ? undefined : leases.buffer(4 * valueWords * count),
  }));
  // Least significant column first; each is brought into the order that the ones before gave.
  for (const [i, column] of columns.toReversed().entries()) {
    const isFirst = i === 0;
    const target = isFirst
      ? records.keys
      : scopes.run(() => leases.buffer(column.words.byteLength));
    const loads: Load[] = [{ words: column.words, target, overwritten: targets.keys }];
    // Payloads come only with a single column.
    if (typeof payload === 'object') {
      const { words } = payload;
      const overwritten = targets.payload;
      loads.push({ words, target: records.values as GPUBuffer, overwritten });
    }
    await upload.large(loads);
    scopes.run(() => {
      upload.small(loads);
      const encoder = device.createCommandEncoder({ label: 'keysweep' });
      if (!isFirst) gather(device, encoder, column, target, records, count);
      record(session, encoder, i, records, work, steps);
      device.queue.submit([encoder.finish()]);
      if (i === columns.length - 1) readback.fetch();
    });
  }
}

/**
 * Records the sort of the column that is `i`th from the last, and the copies of what is read back.
 */
function record(
  session: Session,
  encoder: GPUCommandEncoder,
  i: number,
  records: Records,
  work: Work,
  steps: Steps,
): void {
  const { columns, payload, segments, count } = work;
  const { upload, readback, targets } = steps;
  const { keys, values } = records;
  const column = columns.at(-1 - i) as Column;
  const sorter = sorterFor(session, column, work, steps.leases);
  if (i === 0 && payload === 'index') sorter.encodeIndices(encoder, values as GPUBuffer, count);
  const timestampWrites = readback.timestampWrites(i);
  if (segments === undefined) sorter.encodeTimed(encoder, { keys, values, count }, timestampWrites);
  else encodeSegments(encoder, sorter, segments, records, work, steps);
  if (i === columns.length - 1) {
    const { keys: toKeys, payload: toPayload } = targets;
    if (toKeys !== undefined) {
      const { byteLength } = column.words;
      readback.copy(encoder, keys, byteLength, toKeys, upload.keptOf(toKeys));
    }
    if (toPayload !== undefined) {
      const bytes = 4 * valueWordsOf(work) * count;
      readback.copy(encoder, values as GPUBuffer, bytes, toPayload, upload.keptOf(toPayload));
    }
    readback.copyTimes(encoder);
  }
  if (sorter.plan !== undefined && segments === undefined) {
    readback.copyPlan(encoder, sorter.plan, i);
  }
}

function sorterFor(
  { device, chunkLength }: Session,
  { keyType, order, keyBits }: Column,
  work: Work,
  leases: Leases,
): RadixSorter {
  const { approximate, precision, segments, count } = work;
  const valueType = valueTypeOf(work);
  const options = { keyType, order, keyBits, precision, valueType, approximate };
  const most = maxRecords(device, widthsOf({ ...options, maxCount: count }));
  const maxCount = segments === undefined ? Math.min(allocationSize(count), chunkLength, most) : 0;
  return leases.sorter({ ...options, maxCount });
}

const wordsPerKey = ({ keyType }: Column): 1 | 2 => (keyTraits(keyType).bits === 64 ? 2 : 1);

const valueWordsOf = ({ payload }: Work): 0 | 1 | 2 =>
  payload === undefined ? 0 : payload === 'index' ? 1 : payload.wordsPer;

const valueTypeOf = (work: Work): GpuValueType | undefined =>
  ([undefined, 'u32', 'u64'] as const)[valueWordsOf(work)];

/** Records that the keys of `unsorted` come in the order of the permutation so far. */
function gather(
  device: GPUDevice,
  encoder: GPUCommandEncoder,
  column: Column,
  unsorted: GPUBuffer,
  { keys, values }: Records,
  count: number,
): void {
  const keyWords = wordsPerKey(column);
  const pipelines = pipelinesFor(device, { keyWords, valueWords: 1, approximate: false });
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
  pass.dispatchWorkgroups(Math.min(MAX_GATHER_GROUPS, Math.ceil(count / THREADS)));
  pass.end();
}

function encodeSegments(
  encoder: GPUCommandEncoder,
  sorter: RadixSorter,
  { starts, groups }: NonNullable<Work['segments']>,
  { keys, values }: Records,
  work: Work,
  { leases, upload, readback }: Steps,
): void {
  if (groups.length === 0) return;
  const bind = (table: Uint32Array): GPUBufferBinding => {
    const words = new Words(table, 0);
    const buffer = leases.buffer(words.byteLength);
    upload.write({ words, target: buffer });
    return { buffer, size: words.byteLength };
  };
  const [column] = work.columns;
  const widths = { keyWords: wordsPerKey(column), valueWords: valueWordsOf(work) };
  const buffers = values === undefined ? [keys] : [keys, values];
  sorter.encodeSegments(
    encoder,
    recordsIn(buffers, widths, 0, work.count),
    { groups: bind(groups), starts: bind(starts), groupCount: groupCountOf(groups) },
    readback.timestampWrites(0),
  );
}
