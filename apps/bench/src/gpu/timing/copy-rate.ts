/** How fast the device's memory is, which kernels are compared with. */

import { median } from '@keysweep/conformance/statistics';
import { BufferUsage } from '../device/buffers.js';
import { describeGpu } from '../device/machine.js';
import type { Recording, Task } from '../device/task.js';
import { timeWork } from './timing.js';

/** Bytes of the buffer that is copied: more than caches hold. */
const COPY_BYTES = 2 ** 28;

/** For software, whose rate means nothing: the above would take half a second. */
const SOFTWARE_COPY_BYTES = 2 ** 22;

const WORKGROUPS = 4096;

/** A copy as kernels make one: `copyBufferToBuffer` is a fifth as fast on some drivers. */
const COPY = `
  @group(0) @binding(0) var<storage, read> source: array<vec4u>;
  @group(0) @binding(1) var<storage, read_write> copy: array<vec4u>;
  @compute @workgroup_size(256) fn main(
    @builtin(global_invocation_id) invocation: vec3u,
    @builtin(num_workgroups) groups: vec3u,
  ) {
    for (var i = invocation.x; i < arrayLength(&source); i += groups.x * 256u) {
      copy[i] = source[i];
    }
  }`;

/**
 * The rate at which the device copies buffers, in bytes a millisecond, read and written ones
 * counted.
 */
export async function copyRate(device: GPUDevice): Promise<number> {
  const usage = BufferUsage.STORAGE;
  const most = describeGpu(device).software ? SOFTWARE_COPY_BYTES : COPY_BYTES;
  const size = Math.min(most, device.limits.maxStorageBufferBindingSize);
  const buffers = [0, 1].map(() => device.createBuffer({ size, usage }));
  const module = device.createShaderModule({ code: COPY });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const group = device.createBindGroup({
    layout: pipeline.getBindGroupLayout(0),
    entries: buffers.map((buffer, binding) => ({ binding, resource: { buffer } })),
  });
  const copy: Recording = (encoder) => {
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, group);
    pass.dispatchWorkgroups(WORKGROUPS);
    pass.end();
  };
  const task: Task = { refresh() {}, prepare() {}, work: copy, check() {} };
  const [timing] = await timeWork(device, [task], 'gpu');
  for (const buffer of buffers) buffer.destroy();
  return (2 * size) / median(timing?.milliseconds ?? []);
}
