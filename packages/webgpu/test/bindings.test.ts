/** What a sorter makes once and bears its label, and which bind groups it keeps. */

import './software-gpu.js';
import { expect, it } from 'vitest';
import { BufferUsage } from '../src/device/usage.js';
import { createTrusted } from './chained-devices.js';
import { sharedWatchedDevice, type WatchedDevice } from './watched-device.js';

/** Buffers that are sorted in turn. */
function buffersOf({ device }: WatchedDevice, count: number): readonly GPUBuffer[] {
  return Array.from({ length: count }, () =>
    device.createBuffer({ size: 400, usage: BufferUsage.STORAGE }),
  );
}

it('the bind groups of the last four sets of buffers are kept', async () => {
  const watched = await sharedWatchedDevice();
  const { device, calls } = watched;
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount: 100 });
  const [a, b, c, d, e] = buffersOf(watched, 5) as [
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
    GPUBuffer,
  ];
  /** The bind groups that a sort of `keys` makes. */
  const madeBy = (keys: GPUBuffer): number => {
    const before = calls.createBindGroup;
    const encoder = device.createCommandEncoder();
    sorter.encode(encoder, { keys, count: 100 });
    device.queue.submit([encoder.finish()]);
    return calls.createBindGroup - before;
  };
  for (const keys of [a, b, c, d]) expect(madeBy(keys)).toBeGreaterThan(0);
  for (const keys of [a, b, c, d, d, b, c, a]) expect(madeBy(keys)).toBe(0);
  // In place of `d`, the one that was used longest ago.
  expect(madeBy(e)).toBeGreaterThan(0);
  for (const keys of [a, b, c, e]) expect(madeBy(keys)).toBe(0);
  expect(madeBy(d)).toBeGreaterThan(0);
  sorter.destroy();
  await watched.assertClean();
  device.destroy();
});

it.each([
  ['depths', /^depths: keysweep /],
  [undefined, /^keysweep /],
])('label %s: pipelines, buffers, passes and debug groups', async (label, expected) => {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const labels = new Map<string, (string | undefined)[]>();
  const note = (what: string, name: string | undefined): void => {
    labels.set(what, [...(labels.get(what) ?? []), name]);
  };
  const methods = ['createBuffer', 'createBindGroup', 'createComputePipeline'] as const;
  for (const method of methods) {
    const make = device[method].bind(device) as (descriptor: GPUObjectDescriptorBase) => unknown;
    const noting = (descriptor: GPUObjectDescriptorBase): unknown => {
      note(method, descriptor.label);
      return make(descriptor);
    };
    Object.assign(device, { [method]: noting });
  }
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount: 100, label });
  const [keys] = buffersOf(watched, 1) as [GPUBuffer];
  const encoder = device.createCommandEncoder();
  const begin = encoder.beginComputePass.bind(encoder);
  encoder.beginComputePass = (descriptor) => {
    note('beginComputePass', descriptor?.label);
    const pass = begin(descriptor);
    const push = pass.pushDebugGroup.bind(pass);
    pass.pushDebugGroup = (name) => {
      note('pushDebugGroup', name);
      return push(name);
    };
    return pass;
  };
  sorter.encode(encoder, { keys, count: 100 });
  device.queue.submit([encoder.finish()]);
  expect(labels.get('pushDebugGroup')).toEqual(label === undefined ? undefined : [label]);
  labels.delete('pushDebugGroup');
  expect([...labels.keys()].sort()).toEqual(['beginComputePass', ...methods].sort());
  // All sorters of a device share the table of numbers; a buffer without a label is this test's.
  const shared = [undefined, 'keysweep numbers'];
  const own = [...labels.values()].flat().filter((name) => !shared.includes(name));
  expect(own.length).toBeGreaterThan(3);
  for (const name of own) expect(name).toMatch(expected);
  sorter.destroy();
  await watched.assertClean();
  device.destroy();
});
