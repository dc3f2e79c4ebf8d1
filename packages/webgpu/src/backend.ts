/** The WebGPU backend: the caller's arrays to the GPU, through RadixSorter, and back. */

import {
  type Backend,
  BackendFailedError,
  BackendUnavailableError,
  ClosedError,
  describe,
  GpuRequest,
  isSoftwareRenderer,
  type Probe,
  plainRequest,
  RequestQueue,
  type RequestShape,
  readClock,
  readOptions,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { findGpu } from '#gpu';
import { OutOfMemoryError } from './device/errors.js';
import type { GPUAdapter, GPUPowerPreference } from './device/gpu-types.js';
import type { MemoryLimits } from './transfer/pool.js';
import { serve } from './transfer/request.js';
import { Session } from './transfer/session.js';

/** Options of `webgpu`. */
export interface WebgpuOptions {
  /** Which GPU to take, if the machine has several. Default 'high-performance'. */
  readonly powerPreference?: GPUPowerPreference | undefined;
  /**
   * Called each time a device is opened; resolves to the adapter to use, or to null for none.
   * Default: the runtime's `requestAdapter`.
   */
  readonly requestAdapter?: (() => Promise<GPUAdapter | null>) | undefined;
  /**
   * The most records that are sorted on the GPU at a time, from 1 to 2^32 - 1. Longer arrays are
   * sorted in parts and merged on the CPU. Default: as many as the device's largest buffers hold;
   * with several columns, or segments, as many as its largest bindings. If the device's memory
   * turns out too small, the backend halves the number.
   */
  readonly maxChunkLength?: number | undefined;
  /**
   * Replaces amounts of memory of `MEMORY` in transfer/pool.ts, for tests.
   * @internal
   */
  readonly memory?: Partial<MemoryLimits> | undefined;
}

const NAMES: ReadonlyArray<keyof WebgpuOptions> = [
  'powerPreference',
  'requestAdapter',
  'maxChunkLength',
  'memory',
];

/** Every record has an index of 32 bits; the last one is left free. */
const MAX_RECORDS = 2 ** 32 - 1;

/**
 * A backend that uploads typed arrays to a GPU, sorts them there with `RadixSorter`, and reads them
 * back. It serves every request: all key types, up to 2^32 - 1 records, stable in both orders, with
 * −0 before +0 and NaNs last (descending: the exact reverse), and all bits of a key kept. Requests
 * are served one after the other.
 *
 * Works with WebGPU's default limits and without any feature, in a page, in a worker, and in Node
 * if the npm package `webgpu` is installed. The device is opened at the first sort. If it is lost
 * or fails, that sort rejects with BackendFailedError, and the next one opens a new device.
 *
 * ```ts
 * const sorter = await createSorter({ backends: [webgpu({ powerPreference: 'low-power' })] });
 * await sorter.sort(new Float32Array([2.5, NaN, -1])); // -1, 2.5, NaN
 * ```
 *
 * Takes O(length) for each digit of 8 bits in which keys differ, and the transfers, which move each
 * key and payload once to the GPU and once back. Segments that one workgroup can sort are sorted
 * many at a time. If one is longer, the segments' numbers are sorted, too. Arrays that are too long
 * for the device's memory are sorted in parts and merged on the CPU, 2^18 keys at a time. A result
 * that was merged or gathered there is written in slices of about 5 ms. From then on an abort comes
 * too late, and an array that is detached or shrunk meanwhile rejects with a TypeError and is
 * written in part.
 *
 * Takes twice the keys and payloads as memory of the GPU, with narrow ones widened to 32 bits, and
 * on the host at most twice the result, plus twice the uploaded data up to 512 MiB (32 MiB in a
 * page). For example, 2^26 u32 keys take 512 MiB in Node. For later requests it keeps at most 640
 * MiB on the GPU, and 528 MiB on the host (304 MiB in a page), until `release()` or `close()`.
 * @throws TypeError for an option of the wrong type or of another name; RangeError for one that is
 *   out of range.
 */
export function webgpu(options?: WebgpuOptions): Backend {
  const {
    powerPreference = 'high-performance',
    requestAdapter,
    maxChunkLength: most = MAX_RECORDS,
    memory,
  } = readOptions<WebgpuOptions>(options, NAMES);
  if (powerPreference !== 'high-performance' && powerPreference !== 'low-power') {
    throw new TypeError(
      `powerPreference must be 'high-performance' or 'low-power', got ${describe(powerPreference)}`,
    );
  }
  if (requestAdapter !== undefined && typeof requestAdapter !== 'function') {
    throw new TypeError(`requestAdapter must be a function, got ${describe(requestAdapter)}`);
  }
  if (!(Number.isInteger(most) && most >= 1 && most <= MAX_RECORDS)) {
    throw new RangeError(
      `maxChunkLength must be a whole number from 1 to ${MAX_RECORDS}, got ${describe(most)}`,
    );
  }
  return new WebgpuBackend(requestAdapter ?? (() => runtimeAdapter(powerPreference)), most, memory);
}

async function runtimeAdapter(powerPreference: GPUPowerPreference): Promise<GPUAdapter | null> {
  const gpu = await findGpu();
  if (typeof gpu === 'string') throw new BackendUnavailableError('webgpu', gpu);
  return gpu.requestAdapter({ powerPreference });
}

class WebgpuBackend implements Backend {
  readonly name = 'webgpu';
  readonly #requestAdapter: () => Promise<GPUAdapter | null>;
  readonly #maxChunkLength: number;
  readonly #memory: Partial<MemoryLimits> | undefined;
  readonly #queue = new RequestQueue();
  #session: Session | undefined;
  #closed = false;

  constructor(
    requestAdapter: () => Promise<GPUAdapter | null>,
    maxChunkLength: number,
    memory: Partial<MemoryLimits> | undefined,
  ) {
    this.#requestAdapter = requestAdapter;
    this.#maxChunkLength = maxChunkLength;
    this.#memory = memory;
  }

  async probe(): Promise<Probe> {
    try {
      const { info } = await this.#adapter();
      const description = `${describeAdapter(info)} (WebGPU)`;
      return {
        available: true,
        capabilities: { description, software: isSoftware(info), threads: 0 },
      };
    } catch (error) {
      const reason = error instanceof BackendUnavailableError ? error.reason : String(error);
      return { available: false, reason };
    }
  }

  maxLength(_shape: RequestShape): number {
    return MAX_RECORDS;
  }

  async sort(request: SortRequest): Promise<SortOutcome> {
    if (this.#closed) throw new ClosedError('the webgpu backend');
    if (request.signal?.aborted) throw request.signal.reason;
    const lifecycle = new GpuRequest(request, readClock);
    return lifecycle.answer(this.#queue.serve(request, () => this.#serve(request, lifecycle)));
  }

  async #serve(request: SortRequest, lifecycle: GpuRequest): Promise<SortOutcome> {
    if (this.#session?.lost !== undefined) this.#session = undefined;
    if (this.#session === undefined) lifecycle.enter('start');
    const session = await this.#open();
    try {
      const { gpuMilliseconds: sort, ...outcome } = await serve(session, request, lifecycle);
      const gpuMilliseconds = sort === undefined ? undefined : { sort };
      const { warnings } = session;
      return { ...outcome, milliseconds: lifecycle.stop(), gpuMilliseconds, threads: 0, warnings };
    } catch (cause) {
      const error =
        cause instanceof OutOfMemoryError
          ? new BackendFailedError('webgpu', `the GPU has no memory for it: ${cause.message}`, {
              cause,
            })
          : cause;
      if (error instanceof BackendFailedError) {
        // The device is in an unknown state: the next request opens another.
        this.#session = undefined;
        await session.close();
      }
      throw error;
    }
  }

  /** The session, opened if there is none. */
  async #open(): Promise<Session> {
    if (this.#closed) throw new ClosedError('the webgpu backend');
    if (this.#session !== undefined) return this.#session;
    const adapter = await this.#adapter();
    try {
      this.#session = await Session.open(adapter, this.#maxChunkLength, this.#memory);
    } catch (cause) {
      throw new BackendFailedError('webgpu', `no device could be opened: ${String(cause)}`, {
        cause,
      });
    }
    return this.#session;
  }

  /** @throws BackendUnavailableError */
  async #adapter(): Promise<GPUAdapter> {
    let adapter: GPUAdapter | null;
    try {
      adapter = await this.#requestAdapter();
    } catch (cause) {
      if (cause instanceof BackendUnavailableError) throw cause;
      const reason = `no adapter could be requested: ${String(cause)}`;
      throw new BackendUnavailableError('webgpu', reason, { cause });
    }
    if (adapter) return adapter;
    throw new BackendUnavailableError(
      'webgpu',
      'WebGPU finds no adapter here: there is no GPU, or no driver for it that serves WebGPU',
    );
  }

  async warmUp(maxLength: number): Promise<void> {
    if (this.#closed) throw new ClosedError('the webgpu backend');
    // Sorts like any other: they compile the kernels, and their memory is kept.
    for (const length of new Set([maxLength, Math.min(maxLength, 256)])) {
      const keys = Uint32Array.from({ length }, (_, i) => i ^ 1);
      await this.sort(plainRequest('sort', keys));
    }
  }

  async release(): Promise<void> {
    await this.#queue.after(async () => this.#session?.pool.clear());
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#queue.after(async () => {
      await this.#session?.close();
      this.#session = undefined;
    });
  }
}

/** By its name, too, because not all are marked. */
const isSoftware = (info: GPUAdapterInfo): boolean =>
  info.isFallbackAdapter || isSoftwareRenderer(describeAdapter(info));

/** The adapter's name, of the parts that the browser gives. */
function describeAdapter({ vendor, architecture, device, description }: GPUAdapterInfo): string {
  const known = [vendor, architecture, description || device].filter((part) => part !== '');
  return known.length === 0 ? 'a GPU that the browser does not name' : known.join(' ');
}
