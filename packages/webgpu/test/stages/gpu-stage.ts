/** One GPU stage alone: buffers in, one dispatch, buffers out. */

import { type Constants, KERNELS, type Kernel, LAYOUTS, shader } from '@keysweep/kernels/wgsl';
import { BufferUsage, MapMode } from '../../src/device/usage.js';
import type { Pass, Plan } from '../twins/order.js';

const { STORAGE, UNIFORM, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;

/** What the bindings of a group hold, by binding. */
export type Group = Readonly<Record<number, Uint32Array | GPUBuffer>>;

const pipelines = new WeakMap<GPUDevice, Map<string, GPUComputePipeline>>();

/** The pipeline of a kernel; compiled once, as that takes a software GPU seconds. */
function pipelineOf(device: GPUDevice, kernel: Kernel, constants: Constants): GPUComputePipeline {
  const known = pipelines.get(device) ?? new Map<string, GPUComputePipeline>();
  pipelines.set(device, known);
  const { file, entryPoint } = KERNELS[kernel];
  const code = shader(file, constants);
  // A file may have several entry points.
  const name = `${entryPoint}: ${code}`;
  const made = known.get(name);
  if (made !== undefined) return made;
  const module = device.createShaderModule({ label: kernel, code });
  const pipeline = device.createComputePipeline({
    label: kernel,
    layout: 'auto',
    compute: { module, entryPoint },
  });
  known.set(name, pipeline);
  return pipeline;
}

/**
 * Runs `kernel` once on `groups`, with `workgroups` in x, or in x and y. Resolves to the words of
 * the arrays in `groups` after it, by group and binding.
 */
export async function runStage(
  device: GPUDevice,
  kernel: Kernel,
  constants: Constants,
  groups: readonly Group[],
  workgroups: number | readonly [x: number, y: number],
): Promise<Uint32Array[][]> {
  const pipeline = pipelineOf(device, kernel, constants);
  const encoder = device.createCommandEncoder();
  const made: GPUBuffer[] = [];
  const make = (size: number, usage: number): GPUBuffer => {
    const buffer = device.createBuffer({ size, usage });
    made.push(buffer);
    return buffer;
  };
  const reads: { group: number; binding: number; from: GPUBuffer; to: GPUBuffer }[] = [];
  const bound = groups.map((bindings, group) => {
    const entries = Object.entries(bindings).map(([name, content]) => {
      const binding = Number(name);
      if (!(content instanceof Uint32Array)) return { binding, resource: { buffer: content } };
      const buffer = make(content.byteLength, STORAGE | UNIFORM | COPY_SRC | COPY_DST);
      device.queue.writeBuffer(buffer, 0, content as Uint32Array<ArrayBuffer>);
      reads.push({ group, binding, from: buffer, to: make(buffer.size, COPY_DST | MAP_READ) });
      return { binding, resource: { buffer } };
    });
    return device.createBindGroup({ layout: pipeline.getBindGroupLayout(group), entries });
  });
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  for (const [group, bindGroup] of bound.entries()) pass.setBindGroup(group, bindGroup);
  const [x, y] = typeof workgroups === 'number' ? [workgroups, 1] : workgroups;
  pass.dispatchWorkgroups(x, y);
  pass.end();
  for (const { from, to } of reads) encoder.copyBufferToBuffer(from, 0, to, 0, from.size);
  device.queue.submit([encoder.finish()]);
  const results: Uint32Array[][] = groups.map(() => []);
  for (const { group, binding, to } of reads) {
    await to.mapAsync(MapMode.READ);
    (results[group] as Uint32Array[])[binding] = new Uint32Array(to.getMappedRange().slice(0));
  }
  for (const buffer of made) buffer.destroy();
  return results;
}

/** The bindings of fragments/command-numbers.wgsl, for a count that is known. */
export function commandNumbers(count: number, offset: number): Group {
  const bytes = [0, 8, 16, 24].map((shift) => (count >>> shift) & 255);
  return [...bytes, offset, 0].map((number) => Uint32Array.of(number));
}

/** `numbers` as words, two each where they are 64 bits wide, low word first. */
export function wordsFrom(numbers: readonly bigint[], wordsPer: number): Uint32Array {
  const words = new Uint32Array(numbers.length * wordsPer);
  for (const [i, number] of numbers.entries()) {
    words[i * wordsPer] = Number(number & 0xffffffffn);
    if (wordsPer === 2) words[2 * i + 1] = Number(number >> 32n);
  }
  return words;
}

/** The inverse of `wordsFrom`. */
export function numbersFrom(words: Uint32Array, wordsPer: number): bigint[] {
  return Array.from({ length: words.length / wordsPer }, (_, i) => {
    const low = BigInt(words[i * wordsPer] as number);
    return wordsPer === 1 ? low : low | (BigInt(words[2 * i + 1] as number) << 32n);
  });
}

/** Only approximate sorts have a scale. */
const passWords = (isApproximate: boolean): number =>
  (isApproximate ? LAYOUTS.Pass.size : LAYOUTS.Pass.scale) / 4;

/** `plan` as the words of the struct `Plan`, of `maxPasses` passes. */
export function planWords(plan: Plan, maxPasses: number, isApproximate: boolean): Uint32Array {
  const size = passWords(isApproximate);
  const words = new Uint32Array(LAYOUTS.Plan.size / 4 + maxPasses * size);
  const { count, offset, tilesPerBlock, blocks, spineLanes, passesSkipped } = plan;
  const numbers = { count, offset, tilesPerBlock, blocks, spineLanes, passesSkipped };
  for (const [name, number] of Object.entries(numbers)) {
    words[LAYOUTS.Plan[name as keyof typeof numbers] / 4] = number;
  }
  words[LAYOUTS.Plan.passesRun / 4] = plan.passes.length;
  const [{ scale } = { scale: undefined }] = plan.passes;
  if (scale !== undefined) words.set([scale.exponent, scale.shift], LAYOUTS.Plan.scale / 4);
  for (const [p, pass] of plan.passes.entries()) {
    words.set(wordsOfPass(pass, isApproximate), LAYOUTS.Plan.size / 4 + p * size);
  }
  return words;
}

function wordsOfPass(pass: Pass, isApproximate: boolean): Uint32Array {
  const words = new Uint32Array(passWords(isApproximate));
  words.set(wordsFrom([pass.bias], 2), LAYOUTS.Pass.bias / 4);
  const { shift, width, isFirst, isLast, sourceOffset, targetOffset, scale } = pass;
  const numbers = { shift, width, isFirst, isLast, sourceOffset, targetOffset };
  for (const [name, number] of Object.entries(numbers)) {
    words[LAYOUTS.Pass[name as keyof typeof numbers] / 4] = Number(number);
  }
  for (const [name, number] of Object.entries(scale ?? {})) {
    words[(LAYOUTS.Pass.scale + LAYOUTS.Scale[name as keyof typeof scale]) / 4] = number;
  }
  return words;
}
