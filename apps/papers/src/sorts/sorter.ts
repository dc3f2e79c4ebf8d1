/** The one runner of all sorts: records a table of dispatches. */

import type { Algorithm } from './algorithm.js';
import { type Dispatch, KEYS, type Plan, VALUES } from './plan.js';
import { type Names, namesOf, shaderOf } from './shaders.js';

/**
 * Flags as the WebGPU specification numbers them: Dawn for Node has no globals to read them from.
 */
const COPY_SRC = 0x4;
const COPY_DST = 0x8;
const UNIFORM = 0x40;
const STORAGE = 0x80;

/** As far apart as uniforms have to be. */
const SLOT = 256;

/** Workgroups of one dimension; more are in y. */
const MAX_GROUPS = 65_535;

/** What is sorted: `count` keys of 32 bits, and as many values. */
export interface PaperSortArguments {
  readonly keys: GPUBuffer;
  readonly values?: GPUBuffer | undefined;
}

/** A kernel that is ready to run. */
interface Compiled {
  readonly pipeline: GPUComputePipeline;
  readonly names: Names;
}

const compiled = new WeakMap<GPUDevice, Map<string, Compiled>>();

/** A kernel for a dispatch; compiled once a device. */
function compile(device: GPUDevice, dispatch: Dispatch): Compiled {
  const known = compiled.get(device) ?? new Map<string, Compiled>();
  compiled.set(device, known);
  const { kernel, entryPoint, constants } = dispatch;
  const key = JSON.stringify([kernel, entryPoint, constants]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const code = shaderOf(dispatch);
  const label = `papers ${kernel} ${entryPoint}`;
  const module = device.createShaderModule({ label, code });
  const pipeline = device.createComputePipeline({
    label,
    layout: 'auto',
    compute: { module, entryPoint },
  });
  const made = { pipeline, names: namesOf(code) };
  known.set(key, made);
  return made;
}

/** Words of the largest buffer that a sort of `count` records needs. */
export const largestBuffer = (algorithm: Algorithm, count: number, hasValues: boolean): number =>
  Math.max(count, ...Object.values(algorithm.plan(Math.max(1, count), hasValues).scratch));

/**
 * A sort of `count` unsigned keys in a GPU buffer, by one algorithm, with or without values of 32
 * bits. Allocates scratch for its plan; `destroy` frees it.
 *
 * ```ts
 * const sorter = PaperSorter.create(device, algorithm, { count: keys.length, hasValues: false });
 * sorter.encode(encoder, { keys: buffer });
 * ```
 */
export class PaperSorter {
  readonly plan: Plan;
  readonly #device: GPUDevice;
  readonly #count: number;
  readonly #scratch: ReadonlyMap<string, GPUBuffer>;
  readonly #uniforms: GPUBuffer;
  /** The place of each dispatch's numbers. */
  readonly #slots: readonly number[];
  readonly #kernels: readonly Compiled[];

  /**
   * @throws RangeError for more records than the algorithm is for, and for values that it does not
   *   move, or needs.
   */
  static create(
    device: GPUDevice,
    algorithm: Algorithm,
    { count, hasValues }: { readonly count: number; readonly hasValues: boolean },
  ): PaperSorter {
    const { name, maxLength, isStable, isForPairs = false } = algorithm;
    if (count > maxLength)
      throw new RangeError(`${name} sorts ${maxLength} keys at most: ${count}`);
    if (hasValues && !isStable) throw new RangeError(`${name} is not stable: it moves no values`);
    if (!hasValues && isForPairs) throw new RangeError(`${name} sorts keys with values alone`);
    return new PaperSorter(device, algorithm, count, hasValues);
  }

  private constructor(device: GPUDevice, algorithm: Algorithm, count: number, hasValues: boolean) {
    this.#device = device;
    this.#count = count;
    const plan = algorithm.plan(Math.max(1, count), hasValues);
    this.plan =
      count < 2 ? { ...plan, dispatches: [], result: { keys: KEYS, values: VALUES } } : plan;
    const { dispatches, scratch } = this.plan;
    this.#kernels = dispatches.map((dispatch) => compile(device, dispatch));
    this.#scratch = new Map(
      Object.entries(scratch).map(([name, words]) => [
        name,
        device.createBuffer({
          label: name,
          size: Math.max(8, 4 * words),
          usage: STORAGE | COPY_SRC | COPY_DST,
        }),
      ]),
    );
    // Dispatches with the same numbers share a slot.
    const slots = new Map<string, number>();
    const words = dispatches.map(({ params }, i) =>
      (this.#kernels[i] as Compiled).names.params.map((name) => params[name] ?? 0),
    );
    this.#slots = words.map((numbers) => {
      const key = numbers.join();
      const slot = slots.get(key) ?? slots.size;
      slots.set(key, slot);
      return slot;
    });
    const all = new Uint32Array((SLOT / 4) * Math.max(1, slots.size));
    for (const [i, slot] of this.#slots.entries()) {
      all.set(words[i] as number[], (SLOT / 4) * slot);
    }
    this.#uniforms = device.createBuffer({ size: all.byteLength, usage: UNIFORM | COPY_DST });
    device.queue.writeBuffer(this.#uniforms, 0, all);
  }

  /** Bytes that the sort allocates besides the records. */
  get scratchBytes(): number {
    const sizes = Array.from(this.#scratch.values(), ({ size }) => size);
    return sizes.reduce((sum, size) => sum + size, this.#uniforms.size);
  }

  /** The buffer of a name in the plan. */
  bufferOf(name: string, { keys, values }: PaperSortArguments): GPUBuffer {
    const buffer = name === KEYS ? keys : name === VALUES ? values : this.#scratch.get(name);
    if (buffer === undefined) throw new Error(`the sort has no buffer '${name}'`);
    return buffer;
  }

  /** Records the sort of the keys, and values, in place. */
  encode(encoder: GPUCommandEncoder, args: PaperSortArguments): void {
    const { dispatches, result } = this.plan;
    if (dispatches.length === 0) return;
    const groups = new Map<string, GPUBindGroup>();
    const pass = encoder.beginComputePass();
    for (const i of dispatches.keys()) this.encodeDispatch(pass, i, args, groups);
    pass.end();
    const copy = (from: string, to: string): void => {
      if (from === to) return;
      const [source, target] = [this.bufferOf(from, args), this.bufferOf(to, args)];
      encoder.copyBufferToBuffer(source, 0, target, 0, 4 * this.#count);
    };
    copy(result.keys, KEYS);
    if (args.values !== undefined) copy(result.values, VALUES);
  }

  /** Records dispatch `i` of the plan. `groups` keeps what equal dispatches share. */
  encodeDispatch(
    pass: GPUComputePassEncoder,
    i: number,
    args: PaperSortArguments,
    groups: Map<string, GPUBindGroup> = new Map(),
  ): void {
    const { kernel, entryPoint, buffers, workgroups, depth } = this.plan.dispatches[i] as Dispatch;
    const { pipeline, names } = this.#kernels[i] as Compiled;
    const slot = this.#slots[i] as number;
    const key = JSON.stringify([kernel, entryPoint, buffers, slot]);
    const make = (): GPUBindGroup =>
      this.#device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [
          {
            binding: 0,
            resource: {
              buffer: this.#uniforms,
              offset: SLOT * slot,
              size: 4 * names.params.length,
            },
          },
          ...Object.entries(buffers).map(([variable, name]) => {
            const buffer = this.bufferOf(name, args);
            const binding = names.bindings.get(variable) as number;
            // A caller's buffer may end in part of a word.
            return { binding, resource: { buffer, size: buffer.size - (buffer.size % 4) } };
          }),
        ],
      });
    const group = groups.get(key) ?? make();
    groups.set(key, group);
    const x = Math.min(workgroups, MAX_GROUPS);
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(x, Math.ceil(workgroups / x), depth);
  }

  destroy(): void {
    for (const buffer of this.#scratch.values()) buffer.destroy();
    this.#uniforms.destroy();
  }
}
