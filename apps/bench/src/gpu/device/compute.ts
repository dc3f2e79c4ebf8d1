/**
 * Small compute shaders around the sort: for making inputs, checking results, keeping the GPU
 * awake.
 */

import type { Recording } from './task.js';

const THREADS = 256;
const MAX_WORKGROUPS = 2048;

/** Words that bindings begin at a multiple of, and that a binding holds in front of a part. */
export const LEAD = 64;

/**
 * Pseudo-random permutation of 32-bit words, PCG: Jarzynski and Olano, "Hash functions for GPU
 * rendering", 2020.
 */
const HASH = `
  fn hash(input: u32) -> u32 {
    let state = input * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
  }`;

/** A part of a buffer's words that one binding holds. */
export interface Part {
  readonly start: number;
  readonly count: number;
}

/** The parts of a buffer of `words` words: one, if a binding of the device holds them. */
export function partsOf({ limits }: GPUDevice, words: number): Part[] {
  const most = limits.maxStorageBufferBindingSize;
  if (4 * words <= most) return [{ start: 0, count: words }];
  const size = LEAD * (Math.floor(most / (4 * LEAD)) - 1);
  return Array.from({ length: Math.ceil(words / size) }, (_, i) => ({
    start: i * size,
    count: Math.min(size, words - i * size),
  }));
}

/** A loop over `count` numbers `i`, on all threads of a dispatch. */
export interface Loop {
  /** WGSL with the bindings, all in group 0; `hash` is there. */
  readonly declarations: string;
  /** WGSL before the loop, for each number, and after it, on every thread. */
  readonly before?: string;
  readonly each: string;
  readonly after?: string;
  readonly count: number;
  /** What is bound to 0, 1, … */
  readonly resources: readonly GPUBufferBinding[];
}

/** Compiles the loop, and returns what records it. */
export function compileLoop(device: GPUDevice, loop: Loop): Recording {
  const { declarations, before = '', each, after = '', count, resources } = loop;
  const code = `
    ${declarations}
    ${HASH}
    @compute @workgroup_size(${THREADS}) fn main(
      @builtin(global_invocation_id) invocation: vec3u,
      @builtin(num_workgroups) groups: vec3u,
    ) {
      ${before}
      for (var i = invocation.x; i < ${count}u; i += ${THREADS}u * groups.x) {
        ${each}
      }
      ${after}
    }`;
  const module = device.createShaderModule({ code });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: resources.map((resource, binding) => ({ binding, resource })),
  });
  return (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(Math.min(MAX_WORKGROUPS, Math.ceil(count / THREADS)));
    pass.end();
  };
}
