/** Segments whose number and places are in GPU memory. */

import './software-gpu.js';
import { isThorough, Random, runSeed, sample } from '@keysweep/conformance/data';
import { GPU_SEGMENT_CHECKS, runCheck } from '@keysweep/conformance/gpu';
import { tileOf } from '@keysweep/kernels/wgsl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BufferUsage } from '../src/device/usage.js';
import { chained, createTrusted } from './chained-devices.js';
import { sharedWatchedDevice, type WatchedDevice } from './watched-device.js';

const seed = runSeed();

/** Checks of one type of records: a software adapter compiles the kernels of each for seconds. */
const byType = GPU_SEGMENT_CHECKS.filter(({ name }) => name.endsWith('every length and count'));
const others = GPU_SEGMENT_CHECKS.filter((check) => !byType.includes(check));

/** Devices with subgroups sort segments by kernels of their own. */
const DEVICES = [
  { kind: 'of no features', open: () => sharedWatchedDevice(), maxLength: 50_000 },
  { kind: 'that sorts by chained scans', open: () => chained(), maxLength: 3 * tileOf(1) },
];

/** The device on which a quick run tries a type, and more than one of the other checks. */
const drawn = sample(DEVICES, 1, seed + 1);

describe.each(DEVICES)('segments in GPU memory, on a device $kind', (device) => {
  const { open, maxLength } = device;
  const checks = drawn.includes(device)
    ? [...others, ...sample(byType, 1, seed)]
    : sample(others, 1, seed);
  let watched: WatchedDevice;

  beforeAll(async () => {
    watched = await open();
  });

  afterAll(() => watched.device.destroy());

  for (const check of checks) {
    it(check.name, async () => {
      const subject = {
        device: watched.device,
        create: createTrusted,
        random: new Random(seed + GPU_SEGMENT_CHECKS.indexOf(check)),
        tile: { 4: tileOf(1), 8: tileOf(2) },
        scratch: { share: 1.4, bytes: 160 * 1024 },
        maxLength,
        thorough: isThorough,
      };
      await runCheck(check, subject, seed);
      await watched.assertClean();
    });
  }
});

const PAIRS = { keyType: 'u32', valueType: 'u32' } as const;

it('a sorter of segments holds scratchBytes, makes nothing in encode, and frees all', async () => {
  const watched = await sharedWatchedDevice();
  const { device, calls } = watched;
  const first = await createTrusted(device, { ...PAIRS, maxCount: 10 });
  const before = watched.liveBytes();
  const maxCount = 3 * tileOf(1);
  for (const valueType of [undefined, 'u32'] as const) {
    const options = { keyType: 'u32', valueType, maxCount, maxSegments: 1000 } as const;
    const sorter = await createTrusted(device, options);
    expect(watched.liveBytes() - before).toBe(sorter.scratchBytes);
    const usage = BufferUsage.STORAGE;
    const keys = device.createBuffer({ size: 4 * maxCount, usage });
    const values = valueType && device.createBuffer({ size: 4 * maxCount, usage });
    const buffer = device.createBuffer({ size: 4096, usage });
    const segments = { buffer, offset: 300, count: { buffer, offset: 4 } };
    const record = (): void => {
      const encoder = device.createCommandEncoder();
      sorter.encode(encoder, { keys, values, segments });
      device.queue.submit([encoder.finish()]);
    };
    record();
    const made = { ...calls };
    for (let i = 0; i < 3; i++) record();
    expect({ ...calls, submit: made.submit }).toEqual(made);
    sorter.destroy();
    for (const one of [keys, values, buffer]) one?.destroy();
    expect(watched.liveBytes()).toBe(before);
  }
  first.destroy();
  await watched.assertClean();
  device.destroy();
});

it('a mistake about segments is an error that names it, and records nothing', async () => {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const { STORAGE, COPY_SRC } = BufferUsage;
  const make = (size: number, usage: number = STORAGE): GPUBuffer =>
    device.createBuffer({ size, usage });
  const [keys, values, buffer] = [make(400), make(400), make(44)];
  const noStorage = make(44, COPY_SRC);
  const sorter = await createTrusted(device, { ...PAIRS, maxCount: 100, maxSegments: 12 });
  const without = await createTrusted(device, { ...PAIRS, maxCount: 100 });
  const right = { keys, values, segments: { buffer, count: 10 } };
  const errorOf = (one: typeof sorter, args: object): unknown => {
    // What is refused is not recorded: a stand-in for an encoder would not bear it.
    const encoder = { beginComputePass: () => expect.unreachable('a pass was begun') };
    try {
      one.encode(encoder as never, args as never);
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const mistakes = [
    [TypeError, /^segments must be/, null],
    [TypeError, /^segments must be/, 7],
    [TypeError, /^segments\.buffer must be a GPUBuffer/, { count: 1 }],
    [TypeError, /^segments\.buffer must have usage STORAGE/, { buffer: noStorage, count: 1 }],
    [TypeError, /^segments\.buffer must be another buffer/, { buffer: keys, count: 1 }],
    [TypeError, /^segments\.buffer must be another buffer/, { buffer: values, count: 1 }],
    [RangeError, /^segments\.buffer has 44 bytes/, { buffer, count: 11 }],
    [RangeError, /^segments\.buffer has 44 bytes/, { buffer, count: 10, offset: 4 }],
    [RangeError, /^segments\.offset must be a multiple of 4/, { buffer, count: 1, offset: 2 }],
    [RangeError, /^segments\.offset must be a whole number/, { buffer, count: 1, offset: -4 }],
    [RangeError, /^segments\.count must be a whole number from 0 to 12/, { buffer, count: 13 }],
    [TypeError, /^segments\.count must be a number or/, { buffer, count: '3' }],
    [TypeError, /^segments\.count\.buffer must be a GPUBuffer/, { buffer, count: {} }],
    [
      TypeError,
      /^segments\.count\.buffer must be another buffer/,
      { buffer, count: { buffer: keys } },
    ],
    [
      RangeError,
      /^segments\.count\.offset must be a multiple of 4/,
      { buffer, count: { buffer, offset: 3 } },
    ],
  ] as const;
  for (const [type, message, segments] of mistakes) {
    const error = errorOf(sorter, { ...right, segments });
    expect(error, String(message)).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(message);
  }
  const others = [
    [without, right, /^segments was given to a sorter .* without maxSegments/],
    [sorter, { ...right, count: 3 }, /^count must be left out with segments/],
    [sorter, { ...right, offset: 0 }, /^offset must be left out with segments/],
    [sorter, { ...right, values: undefined }, /^values is missing/],
    [sorter, { ...right, values: keys }, /^keys and values must be two buffers/],
    [sorter, { ...right, keys: noStorage }, /^keys must have usage STORAGE/],
  ] as const;
  for (const [one, args, message] of others) {
    expect(String(errorOf(one, args))).toMatch(new RegExp(`Error: ${message.source.slice(1)}`));
  }
  for (const maxSegments of [-1, 0.5, 2 ** 32]) {
    const making = createTrusted(device, { ...PAIRS, maxCount: 100, maxSegments });
    await expect(making).rejects.toThrow(/^maxSegments must be a whole number/);
  }
  for (const made of [sorter, without, keys, values, buffer, noStorage]) made.destroy();
  await watched.assertClean();
  device.destroy();
});
