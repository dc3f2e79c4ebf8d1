/**
 * A worker that has memory of its own: arrays are copied, the copies sent to it, and what comes back
 * is copied in. One worker alone, whatever the number of cores: a radix sort of the whole takes less
 * time than merging what several have sorted, which one thread would have to do after them.
 */

import {
  assertGoesOn,
  bitsOf,
  checked,
  commitSteps,
  copySteps,
  emptyLike,
  type KeyArray,
  plainShape,
  type RequestShape,
  type Result,
  runInSlices,
  type SortOutcome,
  type SortRequest,
  type TypedArray,
  untilAborted,
} from '@keysweep/core';
import { bytesFor } from '../calling-thread.js';
import { type Team, threadFailure } from '../executor.js';
import { pauses } from '../pauses.js';
import type { Parcel, SortedParcel } from './messages.js';
import type { WorkerLink } from './worker-client.js';

/** A team of one worker that requests are sent to. */
export function remoteTeam(link: WorkerLink, plain: boolean): Team {
  // What the worker's arena holds follows from what it was asked for. Without WebAssembly nothing is kept.
  let bytes = 0;
  const grow = (shape: RequestShape): void => {
    if (!plain) bytes = Math.max(bytes, bytesFor(shape, 1));
  };
  return {
    get failed() {
      return link.failed;
    },
    get bytes() {
      return bytes;
    },
    idle: () => link.idle(),
    sort(request) {
      grow(request.shape);
      return sortRemotely(link, request, plain);
    },
    async warmUp(length) {
      if (plain) return;
      grow(plainShape('sort', 'u32', length));
      try {
        await link.ask('touch', length);
      } catch (cause) {
        throw threadFailure(cause);
      }
    },
    async close() {
      link.close();
    },
  };
}

async function sortRemotely(
  link: WorkerLink,
  request: SortRequest,
  plain: boolean,
): Promise<SortOutcome> {
  const { shape, columns, values, segments, onProgress } = request;
  const pause = pauses();
  const goesOn = (): void => assertGoesOn(request);
  const started = performance.now();
  const copy = async <T extends TypedArray>(array: T): Promise<T> => {
    const copied = emptyLike(array);
    const steps = copySteps(bitsOf(copied), bitsOf(array) as Uint32Array);
    await runInSlices(checked(steps, goesOn), pause);
    return copied;
  };
  const keys: KeyArray[] = [];
  for (const column of columns) {
    goesOn();
    keys.push(await copy(column));
  }
  goesOn();
  const parcel: Parcel = {
    shape,
    columns: keys as [KeyArray, ...KeyArray[]],
    values: values && (await copy(values)),
    segments,
    plain,
    tells: onProgress !== undefined,
  };
  onProgress?.({ phase: 'upload', completed: shape.length, total: shape.length });
  goesOn();
  const sent = performance.now();
  const sorted = await answerTo(link, parcel, request);
  const back = performance.now();
  onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
  goesOn();
  const results: Result[] = [];
  const result = (name: string, target: TypedArray, { buffer }: TypedArray): void => {
    // Sorted arrays come back as they went: on their own, from the first byte on.
    const bits = bitsOf(target).constructor as new (buffer: ArrayBufferLike) => Uint32Array;
    results.push({ name, target, length: shape.length, bits: new bits(buffer) });
  };
  if (sorted.keys !== undefined) result('keys', columns[0], sorted.keys);
  if (values !== undefined && sorted.values !== undefined) result('values', values, sorted.values);
  await runInSlices(commitSteps(results, request.onCommit), pause);
  const milliseconds = {
    upload: sent - started,
    sort: back - sent,
    readback: performance.now() - back,
  };
  return { ...sorted.outcome, milliseconds };
}

/** Sends a parcel and waits for it; what the caller's signal or callback says rejects as it is. */
async function answerTo(
  link: WorkerLink,
  parcel: Parcel,
  { signal, onProgress }: SortRequest,
): Promise<SortedParcel> {
  const { columns, values } = parcel;
  const arrays: readonly TypedArray[] = values === undefined ? columns : [...columns, values];
  const transfer = arrays.map(({ buffer }) => buffer as ArrayBuffer);
  let thrown: { error: unknown } | undefined;
  const hear: SortRequest['onProgress'] = (progress) => {
    try {
      onProgress?.(progress);
    } catch (error) {
      thrown ??= { error };
      throw error;
    }
  };
  try {
    return await untilAborted(link.ask('serve', parcel, transfer, hear), signal);
  } catch (cause) {
    if (thrown !== undefined) throw thrown.error;
    if (signal?.aborted) throw signal.reason;
    throw threadFailure(cause);
  }
}
