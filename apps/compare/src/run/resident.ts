/** Sorts keys that lie in GPU buffers already: RadixSorter, without upload and readback. */

import { bytesOf, keyArrayClass } from '@keysweep/files';
import { RadixSorter } from '@keysweep/webgpu';
import type { KeyArray, ValueArray } from 'keysweep';
import type { Settings } from '../settings/settings.js';
import { openDevice } from './gpu-device.js';
import type { GpuKeyType } from './gpu-keys.js';
import { type Implementation, originsOf, payloadFor, type Sample } from './implementations.js';

/** Milliseconds of sorting before the clock starts: an idle GPU lowers its clock rate. */
const WARM_UP = 30;

/** Least milliseconds of a sample, memory permitting: browsers round timestamps to 0.1 ms. */
const SAMPLE = 5;
/** Bytes of keys in a sample. */
const MAX_BYTES = 2 ** 28;

/** The buffers of one input. */
interface Load {
  readonly keys: GPUBuffer;
  readonly values: GPUBuffer | undefined;
}

/**
 * The sort of GPU buffers. The time is that of the GPU's timestamps around all inputs of a sample,
 * or without them the time until the queue is done.
 */
export function residentSort(settings: Settings, software: boolean): Implementation {
  let open: Promise<Bench> | undefined;
  const close = async (): Promise<void> => {
    const bench = await open?.catch(() => undefined);
    open = undefined;
    bench?.close();
  };
  return {
    series: 'resident',
    software,
    async sort(inputs, signal) {
      const length = inputs[0]?.length ?? 0;
      const bench = await open?.catch(() => undefined);
      if (bench?.lost !== undefined || bench?.length !== length) {
        await close();
        open = Bench.open(settings, length);
      }
      try {
        return await (await (open as Promise<Bench>)).sort(inputs, signal);
      } catch (error) {
        // The device may be in any state, so the next sort opens another.
        await close();
        throw error;
      }
    },
    release: close,
  };
}

/** A device and a sorter for arrays of one length. */
class Bench {
  readonly length: number;
  readonly #device: GPUDevice;
  readonly #sorter: RadixSorter;
  readonly #settings: Settings;
  readonly #scratch: Load;
  readonly #times: GPUQuerySet | undefined;
  #milliseconds = Number.NaN;
  lost: Error | undefined;
  #onLoss: (error: Error) => void = () => {};

  static async open(settings: Settings, length: number): Promise<Bench> {
    const device = await openDevice();
    const { payload, keyType, order } = settings;
    const sorter = await RadixSorter.create(device, {
      keyType: keyType as GpuKeyType,
      valueType: payload === 'none' ? undefined : payload === '64' ? 'u64' : 'u32',
      order,
      maxCount: Math.max(1, length),
    });
    return new Bench(device, sorter, settings, length);
  }

  private constructor(device: GPUDevice, sorter: RadixSorter, settings: Settings, length: number) {
    this.#device = device;
    this.#sorter = sorter;
    this.#settings = settings;
    this.length = length;
    this.#times = device.features.has('timestamp-query')
      ? device.createQuerySet({ type: 'timestamp', count: 2 })
      : undefined;
    this.#scratch = this.#load(new (keyArrayClass(settings.keyType))(length));
    device.lost.then(({ reason, message }) => {
      this.lost = new Error(`the GPU device was lost (${reason}${message && `: ${message}`})`);
      this.#onLoss(this.lost);
    });
  }

  close(): void {
    this.#sorter.destroy();
    this.#device.destroy();
  }

  /** @throws Error when the device is lost meanwhile, or refuses something. */
  async sort(inputs: readonly KeyArray[], signal: AbortSignal): Promise<Sample> {
    const losing = new Promise<never>((_, reject) => {
      this.#onLoss = reject;
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
    losing.catch(() => {});
    const device = this.#device;
    device.pushErrorScope('out-of-memory');
    device.pushErrorScope('validation');
    const sorting = this.#sortWatched(inputs);
    const scopes = [device.popErrorScope(), device.popErrorScope()];
    const sample = await Promise.race([sorting, losing]);
    for (const error of await Promise.all(scopes)) {
      if (error !== null) throw new Error(`the GPU refused: ${error.message}`);
    }
    return sample;
  }

  #sortWatched(inputs: readonly KeyArray[]): Promise<Sample> {
    const loads = Array.from({ length: this.#rounds(inputs) }, () => inputs)
      .flat()
      .map((keys) => this.#load(keys));
    const encoder = this.#device.createCommandEncoder();
    this.#mark(encoder, 0);
    for (const load of loads) this.#encode(encoder, load);
    this.#mark(encoder, 1);
    const measured = encoder.finish();
    return this.#time(measured, loads);
  }

  /** How many times all inputs are sorted in a sample, each time in other buffers. */
  #rounds(inputs: readonly KeyArray[]): number {
    const bytes = inputs.reduce((sum, { byteLength }) => sum + byteLength, 0);
    const wanted = SAMPLE / (this.#milliseconds * inputs.length);
    return Math.max(1, Math.ceil(Math.min(wanted || 1, Math.floor(MAX_BYTES / bytes))));
  }

  async #time(measured: GPUCommandBuffer, loads: readonly Load[]): Promise<Sample> {
    const { queue } = this.#device;
    this.#warmUp(loads[0] as Load);
    // The host's clock needs an empty queue; the GPU's own needs no gap after the warm-up.
    if (this.#times === undefined) await queue.onSubmittedWorkDone();
    const start = performance.now();
    queue.submit([measured]);
    await queue.onSubmittedWorkDone();
    const byHost = performance.now() - start;
    const byGpu = await this.#readTimes();
    // Some drivers' timestamps stand still: then the host's clock counts.
    const isTimed = byGpu !== undefined && byGpu > 0;
    const milliseconds = isTimed ? byGpu : byHost;
    this.#milliseconds = Math.max(0.001, milliseconds / loads.length);
    const results = [];
    for (const load of loads) results.push(await this.#fetch(load));
    return { milliseconds, clock: isTimed ? 'gpu' : 'host', results, reports: [] };
  }

  #load(keys: KeyArray): Load {
    const { payload } = this.#settings;
    const values = payloadFor(payload === 'indices' ? '32' : payload, this.length);
    return { keys: this.#buffer(keys), values: values && this.#buffer(values) };
  }

  #buffer(array: KeyArray): GPUBuffer {
    const { STORAGE, COPY_SRC, COPY_DST } = GPUBufferUsage;
    const buffer = this.#device.createBuffer({
      size: Math.max(16, array.byteLength),
      usage: STORAGE | COPY_SRC | COPY_DST,
    });
    this.#device.queue.writeBuffer(buffer, 0, bytesOf(array) as Uint8Array<ArrayBuffer>);
    return buffer;
  }

  #encode(encoder: GPUCommandEncoder, { keys, values }: Load): void {
    this.#sorter.encode(encoder, { keys, values, count: this.length });
  }

  #mark(encoder: GPUCommandEncoder, index: number): void {
    if (this.#times === undefined) return;
    const timestampWrites = { querySet: this.#times, endOfPassWriteIndex: index };
    encoder.beginComputePass({ timestampWrites }).end();
  }

  /** Sorts the same keys repeatedly in the scratch buffers. */
  #warmUp({ keys, values }: Load): void {
    const rounds = Math.ceil(WARM_UP / Math.max(0.05, this.#milliseconds || WARM_UP));
    const encoder = this.#device.createCommandEncoder();
    for (let round = 0; round < rounds; round++) {
      encoder.copyBufferToBuffer(keys, 0, this.#scratch.keys, 0, keys.size);
      if (values !== undefined && this.#scratch.values !== undefined) {
        encoder.copyBufferToBuffer(values, 0, this.#scratch.values, 0, values.size);
      }
      this.#encode(encoder, this.#scratch);
    }
    this.#device.queue.submit([encoder.finish()]);
  }

  /** Milliseconds between the marks. */
  async #readTimes(): Promise<number | undefined> {
    if (this.#times === undefined) return undefined;
    const { QUERY_RESOLVE, COPY_SRC } = GPUBufferUsage;
    const resolved = this.#device.createBuffer({ size: 16, usage: QUERY_RESOLVE | COPY_SRC });
    const encoder = this.#device.createCommandEncoder();
    encoder.resolveQuerySet(this.#times, 0, 2, resolved, 0);
    this.#device.queue.submit([encoder.finish()]);
    const [from = 0n, to = 0n] = new BigUint64Array(await this.#read(resolved));
    return Number(to - from) / 1e6;
  }

  /** A load's keys and payload as arrays; its buffers are destroyed. */
  async #fetch({ keys, values }: Load) {
    const { keyType, payload } = this.#settings;
    const sorted = new (keyArrayClass(keyType))(await this.#read(keys), 0, this.length);
    if (values === undefined) return { keys: sorted, origins: undefined };
    const bytes = await this.#read(values);
    const array: ValueArray =
      payload === '64'
        ? new BigUint64Array(bytes, 0, this.length)
        : new Uint32Array(bytes, 0, this.length);
    return { keys: sorted, origins: originsOf(array) };
  }

  async #read(buffer: GPUBuffer): Promise<ArrayBuffer> {
    const { MAP_READ, COPY_DST } = GPUBufferUsage;
    const staging = this.#device.createBuffer({ size: buffer.size, usage: MAP_READ | COPY_DST });
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    const bytes = staging.getMappedRange().slice(0);
    staging.destroy();
    buffer.destroy();
    return bytes;
  }
}
