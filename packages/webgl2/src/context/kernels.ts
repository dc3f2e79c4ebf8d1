/** The kernels as gpu.js runs them, on one context. */

import { BackendUnavailableError } from '@keysweep/core';
import { type KernelName, type KernelVariant, kernelText } from '@keysweep/kernels/webgl2';
import type { GpuInstance, GpuKernel, GpuTexture } from './library.js';

/** Says that gpu.js is at something else: it does so by itself where it thinks that it has to. */
export const notWebGL2 = (): BackendUnavailableError =>
  new BackendUnavailableError('webgl2', 'gpu.js runs its kernels on something other than WebGL2');

/** Textures of records, one a slot. */
export type Slots = readonly GpuTexture[];

/** A size of textures, as powers of two. */
export interface TextureBits {
  readonly columnBits: number;
  readonly rowBits: number;
}

/**
 * A kernel: makes its textures of a size, and draws them. gpu.js compiles it when it is first run, and allocates when the size
 * changes.
 */
export class Kernel {
  readonly #gpu: GpuInstance;
  readonly #run: GpuKernel;
  readonly #names: readonly string[];
  #bits: TextureBits | undefined;

  constructor(gpu: GpuInstance, name: KernelName, variant: KernelVariant) {
    const { entry, injected, native, nativeName } = kernelText(name, variant);
    const slots = Array.from({ length: 2 ** variant.slotBits }, (_, i) => i);
    const textures = ['words', 'order', ...slots.map((i) => `slot${i}`)];
    this.#gpu = gpu;
    this.#names = entry.slice(entry.indexOf('(') + 1, entry.indexOf(')')).match(/\w+/g) ?? [];
    this.#run = gpu.createKernel(entry, {
      // Whole numbers as ints; gpu.js would take them for floats.
      argumentTypes: this.#names.map((argument) =>
        textures.includes(argument) ? 'ArrayTexture(4)' : 'Integer',
      ),
      strictIntegers: true,
      nativeFunctions: [
        { name: nativeName, source: native, returnType: 'Array(4)', argumentTypes: {} },
        // Its text is in front, with the records.
        { name: 'slotOf', source: '', returnType: 'Array(4)', argumentTypes: { slot: 'Integer' } },
      ],
      injectedNative: injected,
      // Each texture that is written beside the first goes through a function of its own.
      subKernels:
        name === 'store'
          ? null
          : slots.slice(1).map((i) => ({
              name: `out${i}`,
              source: `function out${i}(texel) { return texel; }`,
              property: `out${i}`,
            })),
      // Four channels of 32 bits; gpu.js thinks of floats.
      precision: 'single',
      // Otherwise gpu.js may choose mediump, and words lose bits.
      tactic: 'precision',
      // Textures stay on the GPU, and are the same in each run: new ones would leak, or be waited for.
      pipeline: true,
      immutable: false,
      // One program for all sizes.
      dynamicOutput: true,
      dynamicArguments: true,
      output: [1, 1],
    });
  }

  /** Takes memory for textures of this size, if they have another. */
  resize({ columnBits, rowBits }: TextureBits): void {
    if (this.#bits?.columnBits === columnBits && this.#bits.rowBits === rowBits) return;
    this.#bits = { columnBits, rowBits };
    this.#run.setOutput([2 ** columnBits, 2 ** rowBits]);
  }

  /**
   * Draws. `args` have every argument by its name in kernels/webgl2. The GPU does it later.
   * @throws BackendUnavailableError where gpu.js runs anything but WebGL2.
   */
  draw(args: Readonly<Record<string, number | GpuTexture>>): void {
    this.#assertWebGL2();
    this.#run(...this.#names.map((name) => args[name]));
    this.#assertWebGL2();
  }

  /** gpu.js says nothing where it falls back to the CPU, before a kernel runs or by its first run. */
  #assertWebGL2(): void {
    if (this.#run.kernel.constructor !== this.#gpu.Kernel) throw notWebGL2();
  }

  /** The textures that it has drawn. */
  get slots(): Slots {
    const { texture, mappedTextures } = this.#run.kernel;
    return [texture, ...(mappedTextures ?? [])];
  }

  /** What it draws into. */
  get framebuffer(): WebGLFramebuffer {
    return this.#run.kernel.framebuffer;
  }
}

/** The kernels for one kind of record. Two take turns to merge: none can read what it draws. */
export interface Kernels {
  readonly load: Kernel;
  readonly merge: readonly [Kernel, Kernel];
  readonly store: Kernel;
}

export function makeKernels(gpu: GpuInstance, variant: KernelVariant): Kernels {
  const make = (name: KernelName): Kernel => new Kernel(gpu, name, variant);
  return { load: make('load'), merge: [make('merge'), make('merge')], store: make('store') };
}

/** Slots as arguments, by their names. */
export const slotArguments = (slots: Slots): Record<string, GpuTexture> =>
  Object.fromEntries(slots.map((texture, i) => [`slot${i}`, texture]));
