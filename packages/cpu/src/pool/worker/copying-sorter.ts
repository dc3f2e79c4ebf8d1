/**
 * A worker that has memory of its own: arrays are copied, the copies sent to it, and what comes
 * back is copied in. It is one worker, whatever the number of cores: a radix sort of the whole
 * takes less time than merging what several have sorted, which one thread would have to do after
 * them.
 */

import {
  assertGoesOn,
  bitsOf,
  checked,
  commitSteps,
  copySteps,
  emptyLike,
  type KeyArray,
  type OnArrayBuffer,
  pauses,
  plainShape,
  type RequestShape,
  type Result,
  readClock,
  runInSlices,
  type SortOutcome,
  type SortRequest,
  type TypedArray,
  untilAborted,
} from '@keysweep/core';
import { AT_ONCE } from '../../arena/cuts.js';
import { arenaBytes } from '../calling-thread.js';
import { type LargeSorter, threadFailure } from '../large-sorter.js';
import type { RequestCopy, SortedCopy } from './messages.js';
import type { WorkerClient } from './worker-client.js';

/** A large sorter of one worker that requests are sent to. */
export class CopyingSorter implements LargeSorter {
  readonly #client: WorkerClient;
  readonly #plain: boolean;
  #bytes = 0;

  constructor(client: WorkerClient, plain: boolean) {
    this.#client = client;
    this.#plain = plain;
  }

  get failure(): unknown {
    return this.#client.failure;
  }

  get started(): Promise<unknown> {
    return this.#client.ready;
  }

  get failedToStart(): boolean {
    return this.#client.failedToStart;
  }

  /** Follows from the requests so far: the worker's arena only grows. Without WebAssembly 0. */
  get bytes(): number {
    return this.#bytes;
  }

  idle(): Promise<void> {
    return this.#client.idle();
  }

  async warmUp(length: number): Promise<void> {
    if (this.#plain) return;
    this.#grow(plainShape('sort', 'u32', length));
    try {
      await this.#client.call('takePages', length);
    } catch (cause) {
      throw threadFailure(cause);
    }
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    this.#grow(request.shape);
    const { shape, columns, values, onProgress } = request;
    const pause = pauses();
    const check = (): void => assertGoesOn(request);
    const started = readClock();
    const copied = await this.#copy(request, <T>(steps: Generator<unknown, T>) =>
      runInSlices(checked(steps, check), pause),
    );
    onProgress?.({ phase: 'upload', completed: shape.length, total: shape.length });
    check();
    const sent = readClock();
    const sorted = await this.#send(copied, request);
    const back = readClock();
    onProgress?.({ phase: 'readback', completed: 0, total: shape.length });
    check();
    const results: Result[] = [];
    const add = (name: string, target: TypedArray, { buffer }: TypedArray): void => {
      // Sorted arrays come back as they went: on their own, from the first byte on.
      const bits = bitsOf(target).constructor as new (buffer: ArrayBufferLike) => Uint32Array;
      results.push({ name, target, length: shape.length, bits: new bits(buffer) });
    };
    if (sorted.keys !== undefined) add('keys', columns[0], sorted.keys);
    if (values !== undefined && sorted.values !== undefined) add('values', values, sorted.values);
    await runInSlices(commitSteps(results, request.onCommit), pause);
    const milliseconds = {
      upload: sent - started,
      sort: back - sent,
      readback: readClock() - back,
    };
    return { ...sorted.outcome, milliseconds };
  }

  /** Notes that the worker's arena will hold a request of this shape. */
  #grow(shape: RequestShape): void {
    if (!this.#plain) this.#bytes = Math.max(this.#bytes, arenaBytes(shape, AT_ONCE));
  }

  /** Copies a request's arrays, in slices. */
  async #copy(
    request: SortRequest,
    run: <T>(steps: Generator<unknown, T>) => Promise<T>,
  ): Promise<RequestCopy> {
    const { shape, columns, values, segments, onProgress } = request;
    const copy = async <T extends TypedArray>(array: T): Promise<OnArrayBuffer<T>> => {
      assertGoesOn(request);
      const copied = emptyLike(array);
      await run(copySteps(bitsOf(copied), bitsOf(array) as Uint32Array));
      return copied;
    };
    const keys: KeyArray[] = [];
    for (const column of columns) keys.push(await copy(column));
    return {
      shape,
      columns: keys as [KeyArray, ...KeyArray[]],
      values: values && (await copy(values)),
      segments,
      plain: this.#plain,
      reportsProgress: onProgress !== undefined,
    };
  }

  /** Sends copies and waits for them; the caller's abort, or an error of its callback, rejects. */
  async #send(copied: RequestCopy, { signal, onProgress }: SortRequest): Promise<SortedCopy> {
    const { columns, values } = copied;
    const arrays: readonly TypedArray[] = values === undefined ? columns : [...columns, values];
    const transfer = arrays.map(({ buffer }) => buffer as ArrayBuffer);
    let thrown: { error: unknown } | undefined;
    const report: SortRequest['onProgress'] = (progress) => {
      try {
        onProgress?.(progress);
      } catch (error) {
        thrown ??= { error };
        throw error;
      }
    };
    try {
      return await untilAborted(this.#client.call('sort', copied, transfer, report), signal);
    } catch (cause) {
      if (thrown !== undefined) throw thrown.error;
      if (signal?.aborted) throw signal.reason;
      throw threadFailure(cause);
    }
  }
}
