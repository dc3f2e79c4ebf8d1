/** The first keys of segments in GPU memory. */

import './software-gpu.js';
import { isThorough, Random, runSeed, sample } from '@keysweep/conformance/data';
import { GPU_FIRST_CHECKS, runCheck } from '@keysweep/conformance/gpu';
import { tileOf } from '@keysweep/kernels/wgsl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import { createTrusted } from './chained-devices.js';
import { sharedWatchedDevice, type WatchedDevice } from './watched-device.js';

const seed = runSeed();

const byType = GPU_FIRST_CHECKS.filter(({ name }) => name.startsWith('first keys of segments, '));
const others = GPU_FIRST_CHECKS.filter((check) => !byType.includes(check));

/** More storage lets workgroups keep more keys; of the least, 64-bit keys fill it. */
const DEVICES = [
  { storage: 'the least workgroup storage', open: () => sharedWatchedDevice() },
  {
    storage: 'all of its workgroup storage',
    open: () =>
      sharedWatchedDevice(({ limits: { maxComputeWorkgroupStorageSize } }) => ({
        requiredLimits: { maxComputeWorkgroupStorageSize },
      })),
  },
];

/** A quick run draws one of each, because the kernels of each compile for seconds. */
describe.each(sample(DEVICES, 1, seed + 1))('first keys, on a device with $storage', ({ open }) => {
  let watched: WatchedDevice;

  beforeAll(async () => {
    watched = await open();
  });

  afterAll(() => watched.device.destroy());

  const checks = [...sample(others, 1, seed + 2), ...sample(byType, 1, seed)];
  for (const check of checks) {
    it(check.name, async () => {
      const subject = {
        device: watched.device,
        create: createTrusted,
        random: new Random(seed + GPU_FIRST_CHECKS.indexOf(check)),
        tile: { 4: tileOf(1), 8: tileOf(2) },
        scratch: { share: 1.4, bytes: 160 * 1024 },
        maxLength: 50_000,
        thorough: isThorough,
      };
      await runCheck(check, subject, seed);
      await watched.assertClean();
    });
  }
});

it('short segments are sorted whole; where no key is wanted nothing is done', async () => {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const maxCount = 12_000;
  const usage = BufferUsage.STORAGE;
  const keys = device.createBuffer({ size: 4 * maxCount, usage });
  const buffer = device.createBuffer({ size: 400, usage });
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount, maxSegments: 60 });
  /** The kernels that a sort is recorded of. */
  const kernels = (count: number, first: number | undefined): string[] => {
    const labels: string[] = [];
    const pass = {
      setBindGroup: () => {},
      setPipeline: ({ label }: GPUComputePipeline) => labels.push(label.replace('keysweep ', '')),
      dispatchWorkgroups: () => {},
      dispatchWorkgroupsIndirect: () => {},
    } as unknown as GPUComputePassEncoder;
    sorter.encode(pass, { keys, segments: { buffer, count, first } });
    return labels;
  };
  const first = ['firstOfShort', 'firstOfRows'];
  expect(kernels(60, 49)).toEqual(first);
  expect(kernels(60, 50)).toEqual(kernels(60, undefined));
  expect(kernels(60, 50)).not.toEqual(first);
  expect(kernels(2, 1024)).toEqual(first);
  expect(kernels(60, 0)).toEqual([]);
  expect(kernels(0, 7)).toEqual([]);
  sorter.destroy();
  await watched.assertClean();
  device.destroy();
});

it(`first may be another one in the next sort of the same buffers (seed ${seed})`, async () => {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const random = new Random(seed);
  const maxCount = 2000;
  const { STORAGE, COPY_DST, COPY_SRC, MAP_READ } = BufferUsage;
  const usage = STORAGE | COPY_DST | COPY_SRC;
  const [keys, buffer] = [4 * maxCount, 8].map((size) => device.createBuffer({ size, usage })) as [
    GPUBuffer,
    GPUBuffer,
  ];
  device.queue.writeBuffer(buffer, 0, Uint32Array.of(0, maxCount));
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount, maxSegments: 1 });
  for (const first of [3, 90, 7]) {
    const words = random.fill(new Uint32Array(maxCount));
    device.queue.writeBuffer(keys, 0, words);
    const to = device.createBuffer({ size: keys.size, usage: COPY_DST | MAP_READ });
    const encoder = device.createCommandEncoder();
    sorter.encode(encoder, { keys, segments: { buffer, count: 1, first } });
    encoder.copyBufferToBuffer(keys, 0, to, 0, keys.size);
    device.queue.submit([encoder.finish()]);
    await to.mapAsync(MapMode.READ);
    const found = new Uint32Array(to.getMappedRange()).slice(0, first);
    to.destroy();
    expect(found, `the first ${first}`).toEqual(words.sort().slice(0, first));
  }
  sorter.destroy();
  for (const one of [keys, buffer]) one.destroy();
  await watched.assertClean();
  device.destroy();
});

it('first is a whole number up to 1,024, or an error that names it', async () => {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const usage = BufferUsage.STORAGE;
  const [keys, buffer] = [400, 44].map((size) => device.createBuffer({ size, usage }));
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount: 100, maxSegments: 10 });
  const encoder = { beginComputePass: () => expect.unreachable('a pass was begun') };
  const wrong = [
    [-1, RangeError],
    [0.5, RangeError],
    [1025, RangeError],
    ['3', TypeError],
  ] as const;
  for (const [first, type] of wrong) {
    const args = { keys, segments: { buffer, count: 10, first } };
    const encode = (): void => sorter.encode(encoder as never, args as never);
    expect(encode, String(first)).toThrow(type);
    expect(encode, String(first)).toThrow(/^segments\.first must be a/);
  }
  sorter.destroy();
  await watched.assertClean();
  device.destroy();
});
