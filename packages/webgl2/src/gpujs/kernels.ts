/** The kernels on one context, as gpu.js runs them. */

import { BackendUnavailableError } from '@keysweep/core';
import { type KernelName, type KernelVariant, kernelText } from '@keysweep/kernels/webgl2';
import type { GpuInstance, GpuKernel, GpuTexture } from './library.js';

/**
 * The error where gpu.js has chosen another way to run its kernels, which it does without notice.
 */
export const notWebGL2 = (): BackendUnavailableError =>
  new BackendUnavailableError('webgl2', 'gpu.js runs its kernels on something other than WebGL2');

/** Textures of records, one for each slot. */
export type Slots = readonly GpuTexture[];

/** A size of textures in texels: 2^columnBits by 2^rowBits. */
export interface TextureBits {
  readonly columnBits: number;
  readonly rowBits: number;
}

/**
 * A kernel and the textures that it draws. gpu.js compiles it at its first run, and allocates when
 * the size changes.
 */
class Kernel {
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
      // Whole numbers are ints; gpu.js would make floats of them.
      argumentTypes: this.#names.map((argument) =>
        textures.includes(argument) ? 'ArrayTexture(4)' : 'Integer',
      ),
      strictIntegers: true,
      nativeFunctions: [
        { name: nativeName, source: native, returnType: 'Array(4)', argumentTypes: {} },
        // Its text is in records.glsl, which is injected.
        { name: 'slotOf', source: '', returnType: 'Array(4)', argumentTypes: { slot: 'Integer' } },
      ],
      injectedNative: injected,
      // gpu.js writes each texture but the first through a function of its own.
      subKernels:
        name === 'store'
          ? null
          : slots.slice(1).map((i) => ({
              name: `out${i}`,
              source: `function out${i}(texel) { return texel; }`,
              property: `out${i}`,
            })),
      // Four channels of 32 bits, by gpu.js's word for floats.
      precision: 'single',
      // Else gpu.js may choose mediump, and words lose bits.
      tactic: 'precision',
      // Textures stay on the GPU, and are the same in each run: new ones would leak or block.
      pipeline: true,
      immutable: false,
      // One program for all sizes.
      dynamicOutput: true,
      dynamicArguments: true,
      output: [1, 1],
    });
  }

  /** Allocates textures of this size, if they have another. */
  resize({ columnBits, rowBits }: TextureBits): void {
    if (this.#bits?.columnBits === columnBits && this.#bits.rowBits === rowBits) return;
    this.#bits = { columnBits, rowBits };
    this.#run.setOutput([2 ** columnBits, 2 ** rowBits]);
  }

  /**
   * Draws. `args` has every argument by its name in kernels/webgl2. Returns before the GPU begins.
   * @throws BackendUnavailableError where gpu.js runs anything but WebGL2.
   */
  draw(args: Readonly<Record<string, number | GpuTexture>>): void {
    this.#assertWebGL2();
    this.#run(...this.#names.map((name) => args[name]));
    this.#assertWebGL2();
  }

  /** gpu.js falls back to the CPU without an error, before a kernel's first run or during it. */
  #assertWebGL2(): void {
    if (this.#run.kernel.constructor !== this.#gpu.Kernel) throw notWebGL2();
  }

  /** The textures that it draws. */
  get slots(): Slots {
    const { texture, mappedTextures } = this.#run.kernel;
    return [texture, ...(mappedTextures ?? [])];
  }

  /** The framebuffer that it draws into. */
  get framebuffer(): WebGLFramebuffer {
    return this.#run.kernel.framebuffer;
  }
}

/** The kernels for one kind of record. Two merge alternately: no kernel can read what it draws. */
export interface Kernels {
  readonly load: Kernel;
  readonly merge: readonly [Kernel, Kernel];
  readonly store: Kernel;
}

export function makeKernels(gpu: GpuInstance, variant: KernelVariant): Kernels {
  const make = (name: KernelName): Kernel => new Kernel(gpu, name, variant);
  return { load: make('load'), merge: [make('merge'), make('merge')], store: make('store') };
}

/** Slots as arguments, by the kernels' names for them. */
export const slotArguments = (slots: Slots): Record<string, GpuTexture> =>
  Object.fromEntries(slots.map((texture, i) => [`slot${i}`, texture]));
