/** What a sorter shares with its caller: memory for records, and the size of the next dispatch. */

import './software-gpu.js';
import { runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { BufferUsage, MapMode } from '../src/device/usage.js';
import type { RadixSorter } from '../src/sorter/radix-sorter.js';
import { chained, createTrusted } from './chained-devices.js';
import { sharedWatchedDevice } from './watched-device.js';

drawTests(1 / 2);

const seed = runSeed();
const random = testRandom();

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ, INDIRECT } = BufferUsage;
const COUNT = 30_000;

function bufferOf(device: GPUDevice, words: Uint32Array<ArrayBuffer>): GPUBuffer {
  const usage = STORAGE | COPY_SRC | COPY_DST | INDIRECT;
  const buffer = device.createBuffer({ size: words.byteLength, usage });
  device.queue.writeBuffer(buffer, 0, words);
  return buffer;
}

async function read(device: GPUDevice, buffer: GPUBuffer): Promise<Uint32Array> {
  const to = device.createBuffer({ size: buffer.size, usage: COPY_DST | MAP_READ });
  const encoder = device.createCommandEncoder();
  encoder.copyBufferToBuffer(buffer, 0, to, 0, buffer.size);
  device.queue.submit([encoder.finish()]);
  await to.mapAsync(MapMode.READ);
  const words = new Uint32Array(to.getMappedRange().slice(0));
  to.destroy();
  return words;
}

const randomWords = (count: number): Uint32Array<ArrayBuffer> =>
  Uint32Array.from({ length: count }, () => random.bits());

const DEVICES = [
  ['of no features', () => sharedWatchedDevice()],
  ['that sorts by chained scans', () => chained()],
] as const;

/** A quick run draws one: the sorters of each compile for seconds. */
describe.each(sample(DEVICES, 1, seed))('memory of the caller, on a device %s', (_, open) => {
  it('serves several sorters, of whole arrays and of segments, in one pass', async () => {
    const watched = await open();
    const { device } = watched;
    const first = await createTrusted(device, { keyType: 'u32', maxCount: 10 });
    const before = watched.liveBytes();
    // Larger than any sorter needs, and full of bytes that belong to no sorter.
    const scratch = {
      keys: bufferOf(device, randomWords(COUNT + 5)),
      values: bufferOf(device, randomWords(COUNT + 3)),
    };
    const shared = scratch.keys.size + scratch.values.size;
    const options = { keyType: 'u32', valueType: 'u32', maxCount: COUNT } as const;
    const sorters: readonly RadixSorter[] = [
      await createTrusted(device, { ...options, scratch }),
      await createTrusted(device, { ...options, order: 'descending', scratch }),
      await createTrusted(device, { ...options, maxSegments: 3, scratch }),
    ];
    const held = sorters.reduce((sum, { scratchBytes }) => sum + scratchBytes, 0);
    expect(watched.liveBytes() - before - shared).toBe(held);
    const own = await createTrusted(device, options);
    expect(own.scratchBytes - (sorters[0]?.scratchBytes ?? 0)).toBe(8 * COUNT);
    own.destroy();

    const inputs = sorters.map(() => randomWords(COUNT));
    const sorted = inputs.map((words) => ({
      keys: bufferOf(device, words),
      values: bufferOf(device, words),
    }));
    const places = Uint32Array.of(0, 20_000, 20_001, COUNT);
    const segments = { buffer: bufferOf(device, places), count: 3 };
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (const [i, records] of sorted.entries()) {
      sorters[i]?.encode(pass, i < 2 ? { ...records, count: COUNT } : { ...records, segments });
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    const [ascending, descending, parts] = inputs as [
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
      Uint32Array<ArrayBuffer>,
    ];
    ascending.sort();
    descending.sort().reverse();
    for (const [i, end] of places.entries()) parts.subarray(places[i - 1] ?? 0, end).sort();
    for (const [i, { keys, values }] of sorted.entries()) {
      expect(await read(device, keys), `sorter ${i}, seed ${seed}`).toEqual(inputs[i]);
      expect(await read(device, values), `sorter ${i}, seed ${seed}`).toEqual(inputs[i]);
    }
    for (const sorter of sorters) sorter.destroy();
    expect(await read(device, scratch.keys)).toHaveLength(COUNT + 5);
    for (const one of [...sorted, scratch].flatMap(({ keys, values }) => [keys, values])) {
      one.destroy();
    }
    segments.buffer.destroy();
    expect(watched.liveBytes()).toBe(before);
    first.destroy();
    await watched.assertClean();
    device.destroy();
  });
});

/** What `work` throws, or rejects with. */
async function errorOf(work: () => unknown): Promise<unknown> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error;
  }
}

it('mistakes about memory and dispatches are errors that name them', async () => {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const make = (size: number, usage: number = STORAGE): GPUBuffer =>
    device.createBuffer({ size, usage });
  const [a, b, c, short, mapped] = [make(40), make(40), make(40), make(36), make(40, COPY_SRC)];
  const options = { keyType: 'u32', valueType: 'u32', maxCount: 10 } as const;
  const wrongScratch = [
    [TypeError, /^scratch must be/, 7],
    [TypeError, /^scratch must be/, null],
    [TypeError, /^scratch\.keys must be a GPUBuffer/, {}],
    [TypeError, /^scratch\.keys must have usage STORAGE/, { keys: mapped, values: b }],
    [RangeError, /^scratch\.keys has 36 bytes/, { keys: short, values: b }],
    [TypeError, /^scratch\.values is missing/, { keys: a }],
    [TypeError, /^scratch\.keys and scratch\.values must be two/, { keys: a, values: a }],
    [RangeError, /^scratch\.values has 36 bytes/, { keys: a, values: short }],
  ] as const;
  for (const [type, message, scratch] of wrongScratch) {
    const error = await errorOf(() =>
      createTrusted(device, { ...options, scratch: scratch as never }),
    );
    expect(error, String(message)).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(message);
  }
  const sorter = await createTrusted(device, { ...options, scratch: { keys: a, values: b } });
  const encoder = { beginComputePass: () => expect.unreachable('a pass was begun') };
  const size = { buffer: make(24), workgroupSize: 64 };
  const args = { keys: c, values: make(40), count: 10 };
  const counts = make(40);
  const wrongArguments = [
    [TypeError, /^keys must be another buffer than those of scratch/, { keys: a }],
    [TypeError, /^values must be another buffer than those of scratch/, { values: b }],
    [TypeError, /^dispatch must be/, { dispatch: 7 }],
    [TypeError, /^dispatch\.buffer must be a GPUBuffer/, { dispatch: { workgroupSize: 1 } }],
    [RangeError, /^dispatch\.buffer has 24 bytes/, { dispatch: { ...size, offset: 16 } }],
    [RangeError, /^dispatch\.offset must be a multiple of 4/, { dispatch: { ...size, offset: 2 } }],
    [RangeError, /^dispatch\.workgroupSize must be/, { dispatch: { ...size, workgroupSize: 0 } }],
    [TypeError, /^dispatch\.workgroupSize must be/, { dispatch: { buffer: size.buffer } }],
    ...[args.keys, args.values].map(
      (buffer) =>
        [
          TypeError,
          /^dispatch\.buffer must be another/,
          { dispatch: { ...size, buffer } },
        ] as const,
    ),
    [
      TypeError,
      /^dispatch\.buffer must be another/,
      { count: { buffer: counts }, dispatch: { ...size, buffer: counts } },
    ],
  ] as const;
  for (const [type, message, changed] of wrongArguments) {
    const error = await errorOf(() =>
      sorter.encode(encoder as never, { ...args, ...changed } as never),
    );
    expect(error, String(message)).toBeInstanceOf(type);
    expect((error as Error).message).toMatch(message);
  }
  await watched.assertClean();
  device.destroy();
});

it('the size of the next dispatch: enough workgroups, and less than a row too many', async () => {
  const watched = await sharedWatchedDevice();
  const { device, calls } = watched;
  const maxCount = 200_000;
  const keys = device.createBuffer({ size: 4 * maxCount, usage: STORAGE });
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount });
  const cases = [
    ...[0, 1, 255, 256, 257, 65_535, 65_536, 131_070, 131_071, maxCount].map((count) => ({
      ...{ count, size: 1 },
    })),
    ...[0, 1, 255, 256, 257, 99_999].map((count) => ({ count, size: 256 })),
    { count: 3 * maxCount, size: 1000 },
    { count: 77, size: 2 ** 24 },
  ];
  for (const { count, size } of cases) {
    for (const isOnGpu of [true, false]) {
      if (!isOnGpu && count > maxCount) continue;
      const at = random.below(90);
      const words = new Uint32Array(at + 5).fill(7);
      const buffer = bufferOf(device, words);
      const counts = bufferOf(device, Uint32Array.of(3, count));
      const encoder = device.createCommandEncoder();
      sorter.encode(encoder, {
        keys,
        count: isOnGpu ? { buffer: counts, offset: 4 } : count,
        dispatch: { buffer, offset: 4 * at, workgroupSize: size },
      });
      device.queue.submit([encoder.finish()]);
      const found = await read(device, buffer);
      const [x = 0, y = 0, z = 0] = found.subarray(at, at + 3);
      const what = `${count} keys by ${size}: ${x}, ${y}, ${z} at ${at}, seed ${seed}`;
      const groups = Math.ceil(Math.min(count, maxCount) / size);
      expect(x, what).toBeLessThanOrEqual(65_535);
      expect(x * y, what).toBeGreaterThanOrEqual(groups);
      expect(x * y - groups, what).toBeLessThan(y);
      expect(y > 1, what).toBe(groups > 65_535);
      expect(z, what).toBe(1);
      const others = [...found.subarray(0, at), ...found.subarray(at + 3)];
      expect(new Set(others), what).toEqual(new Set([7]));
    }
  }
  // Frames that take turns with the same buffers make no bind groups.
  const buffer = bufferOf(device, new Uint32Array(3));
  const record = (): void => {
    const encoder = device.createCommandEncoder();
    sorter.encode(encoder, { keys, count: 9, dispatch: { buffer, workgroupSize: 64 } });
    device.queue.submit([encoder.finish()]);
  };
  record();
  const made = { ...calls };
  record();
  expect({ ...calls, submit: made.submit }).toEqual(made);
  await watched.assertClean();
  device.destroy();
});

it('sizes of dispatches in turn, from one buffer of counts to one of sizes', async () => {
  const watched = await sharedWatchedDevice();
  const { device } = watched;
  const maxCount = 1000;
  const keys = device.createBuffer({ size: 4 * maxCount, usage: STORAGE });
  const sorter = await createTrusted(device, { keyType: 'u32', maxCount });
  const words = Uint32Array.from({ length: 200 }, () => random.below(maxCount));
  const counts = bufferOf(device, words);
  const sizes = bufferOf(device, new Uint32Array(200));
  // Bindings begin at multiples of 64 words: places on both sides of that.
  const places = [0, 1, 63, 64, 65, 130];
  for (const workgroupSize of [1, 7, 100]) {
    for (const place of places) {
      const at = places[random.below(places.length)] as number;
      const encoder = device.createCommandEncoder();
      sorter.encode(encoder, {
        keys,
        count: { buffer: counts, offset: 4 * place },
        dispatch: { buffer: sizes, offset: 4 * at, workgroupSize },
      });
      device.queue.submit([encoder.finish()]);
      const groups = Math.ceil((words[place] as number) / workgroupSize);
      const found = (await read(device, sizes)).slice(at, at + 3);
      const what = `count ${place}, size ${workgroupSize} at ${at}, seed ${seed}`;
      expect(found, what).toEqual(Uint32Array.of(groups, 1, 1));
    }
  }
  sorter.destroy();
  await watched.assertClean();
  device.destroy();
});
