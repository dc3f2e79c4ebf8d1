/** A device at work for a check: buffers, submits, reads, and what went wrong meanwhile. */

import type { GpuSorter, GpuSorterOptions, GpuSubject } from './subject.js';

/**
 * Flags as the WebGPU specification numbers them: Dawn for Node has no globals to read them from.
 */
export const BufferUsage = { MAP_READ: 0x1, COPY_SRC: 0x4, COPY_DST: 0x8, STORAGE: 0x80 } as const;
const MAP_MODE_READ = 0x1;

const FILTERS: readonly GPUErrorFilter[] = ['validation', 'out-of-memory', 'internal'];

export class Bench {
  readonly subject: GpuSubject;
  readonly device: GPUDevice;
  #made: { destroy(): void }[] = [];

  constructor(subject: GpuSubject) {
    this.subject = subject;
    this.device = subject.device;
  }

  /** All of `choices`, in a thorough run, else as many of them at random. */
  some<T>(choices: readonly T[], count: number): readonly T[] {
    if (this.subject.thorough) return choices;
    const left = [...choices];
    const taken = Array.from({ length: Math.min(count, left.length) }, () =>
      left.splice(this.subject.random.below(left.length), 1),
    );
    return taken.flat();
  }

  /** One of `choices`, at random. */
  any<T>(choices: readonly T[]): T {
    return choices[this.subject.random.below(choices.length)] as T;
  }

  async sorter(options: GpuSorterOptions): Promise<GpuSorter> {
    const sorter = await this.subject.create(this.device, options);
    this.#made.push(sorter);
    return sorter;
  }

  /** A buffer that holds `words`, at least one, and some bytes more: of no particular size. */
  buffer(words: Uint32Array, usage: number = BufferUsage.STORAGE): GPUBuffer {
    const { COPY_SRC, COPY_DST } = BufferUsage;
    const size = Math.max(4, words.byteLength + this.any([0, 0, 1, 2, 3]));
    const buffer = this.device.createBuffer({ size, usage: usage | COPY_SRC | COPY_DST });
    this.#made.push(buffer);
    this.write(buffer, 0, words);
    return buffer;
  }

  /** Writes words from byte `offset` on; nothing if there are none, which ends Deno's process. */
  write(buffer: GPUBuffer, offset: number, words: Uint32Array): void {
    if (words.length === 0) return;
    this.device.queue.writeBuffer(buffer, offset, words as Uint32Array<ArrayBuffer>);
  }

  /** Records into one encoder, and submits. */
  submit(record: (encoder: GPUCommandEncoder) => void): void {
    const encoder = this.device.createCommandEncoder();
    record(encoder);
    this.device.queue.submit([encoder.finish()]);
  }

  /** What a buffer holds from byte `offset` on when all that was submitted is done. */
  async read(buffer: GPUBuffer, offset = 0): Promise<Uint32Array> {
    const { MAP_READ, COPY_DST } = BufferUsage;
    const size = buffer.size - (buffer.size % 4) - offset;
    const staging = this.device.createBuffer({ size, usage: MAP_READ | COPY_DST });
    this.submit((encoder) => encoder.copyBufferToBuffer(buffer, offset, staging, 0, size));
    await staging.mapAsync(MAP_MODE_READ);
    const words = new Uint32Array(staging.getMappedRange().slice(0));
    staging.destroy();
    return words;
  }

  /** Destroys every buffer and sorter made here. */
  free(): void {
    for (const made of this.#made) made.destroy();
    this.#made = [];
  }
}

/**
 * Runs `work` on a device.
 * @throws Error when anything there fails validation, memory or the device itself, seen by a scope
 *   or not.
 */
export async function withoutErrors(device: GPUDevice, work: () => Promise<void>): Promise<void> {
  const problems: string[] = [];
  const note = (error: GPUError | Error): void => {
    problems.push(`${error.constructor.name}: ${error.message}`);
  };
  const onError = (event: GPUUncapturedErrorEvent): void => note(event.error);
  device.addEventListener('uncapturederror', onError);
  for (const filter of FILTERS) device.pushErrorScope(filter);
  try {
    await work();
  } catch (error) {
    // What the device says of it explains more than its consequences do, but comes with them.
    problems.push(error instanceof Error ? error.message : String(error));
  }
  // A lost device rejects.
  const pops = FILTERS.map(() => device.popErrorScope().catch((error: Error) => error));
  for (const error of await Promise.all(pops)) if (error !== null) note(error);
  device.removeEventListener('uncapturederror', onError);
  if (problems.length > 0) throw new Error(problems.join('\n'));
}
