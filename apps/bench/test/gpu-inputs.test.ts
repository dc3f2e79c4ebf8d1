import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFolder } from '../../../tools/chromium.js';
import { DeviceCheck } from '../src/gpu/check/device-check.js';
import { readBuffer, recorded } from '../src/gpu/device/buffers.js';
import { GpuMachine } from '../src/gpu/device/machine.js';
import { DeviceRecords } from '../src/gpu/inputs/device-records.js';
import {
  DISTRIBUTIONS,
  type GpuDistribution,
  MADE_TYPES,
  type MadeType,
  type MeasuredType,
} from '../src/gpu/inputs/distributions.js';

const seed = runSeed();
const LENGTH = 2 ** 13;

let device: GPUDevice;

beforeAll(async () => {
  const software = chromiumFolder();
  const machine = await GpuMachine.find({
    features: 'none',
    software,
    timestamps: false,
    variant: 'auto',
  });
  device = await machine.device();
});

afterAll(() => device.destroy());

/** Two inputs, one after the other. */
async function inputsOf(
  keyType: MadeType,
  distribution: GpuDistribution,
): Promise<[ArrayBuffer, ArrayBuffer]> {
  const shape = { keyType, hasValues: false, length: LENGTH };
  const records = new DeviceRecords(device, shape, [distribution], new Random(seed));
  const input = async () => {
    device.queue.submit([recorded(device, (encoder) => records.refresh(distribution, encoder))]);
    return readBuffer(device, records.keys.from);
  };
  const both: [ArrayBuffer, ArrayBuffer] = [await input(), await input()];
  records.destroy();
  return both;
}

/** Of a bit that is 1 with probability `p`. */
const entropyOf = (p: number): number =>
  p === 0 || p === 1 ? 0 : -p * Math.log2(p) - (1 - p) * Math.log2(1 - p);

describe(`inputs made on the GPU (seed ${seed})`, () => {
  const entropies = [
    ['random', 1],
    ['entropy-0.811', 0.811],
    ['entropy-0.544', 0.544],
    ['entropy-0.337', 0.337],
    ['entropy-0.201', 0.201],
    ['entropy-0', 0],
  ] as const;
  it.each(sample(entropies, 2, seed))(
    '%s keys have %f bits of entropy per bit',
    async (distribution, entropy) => {
      const [buffer] = await inputsOf('u64', distribution);
      const words = new Uint32Array(buffer);
      const ones = Array.from({ length: 64 }, (_, bit) => {
        let count = 0;
        for (let i = bit >> 5; i < words.length; i += 2) count += (words[i]! >>> (bit & 31)) & 1;
        return count / LENGTH;
      });
      // Five standard deviations of what the smallest probability leaves open, and of the mean of
      // 64 of them.
      for (const p of ones) expect(Math.abs(entropyOf(p) - entropy)).toBeLessThan(0.06);
      const mean = ones.reduce((sum, p) => sum + p, 0) / ones.length;
      expect(Math.abs(entropyOf(mean) - entropy)).toBeLessThan(0.008);
    },
  );

  const varied = DISTRIBUTIONS.filter((distribution) => distribution !== 'entropy-0');
  it.each(sample(varied, 2, seed))('%s keys are others each time', async (distribution) => {
    const [first, second] = await inputsOf('u32', distribution);
    expect(new Uint32Array(first)).not.toEqual(new Uint32Array(second));
  });

  const viewOf = {
    u32: (buffer: ArrayBuffer): (number | bigint)[] => Array.from(new Uint32Array(buffer)),
    f32: (buffer: ArrayBuffer): (number | bigint)[] => Array.from(new Float32Array(buffer)),
    u64: (buffer: ArrayBuffer): (number | bigint)[] => Array.from(new BigUint64Array(buffer)),
  };

  it.each(sample(MADE_TYPES, 1, seed))(
    '%s keys are in the order that they should be in',
    async (keyType) => {
      const keysOf = async (distribution: GpuDistribution) =>
        viewOf[keyType]((await inputsOf(keyType, distribution))[0]);
      const compare = (a: number | bigint, b: number | bigint) => (a < b ? -1 : a > b ? 1 : 0);
      const sorted = await keysOf('sorted');
      expect(sorted).toEqual([...sorted].sort(compare));
      expect(new Set(sorted).size).toBeGreaterThan(0.99 * LENGTH);
      // Over the whole range, or some digits would not have to be sorted.
      const range = Number(sorted.at(-1)!) - Number(sorted[0]!);
      expect(range).toBeGreaterThan(0.99 * 2 ** (keyType === 'u64' ? 64 : 32));
      const reversed = await keysOf('reversed');
      expect(reversed).toEqual([...reversed].sort((a, b) => compare(b, a)));
      expect(new Set(await keysOf('few')).size).toBe(16);
      expect(new Set(await keysOf('equal')).size).toBe(1);
    },
  );

  it('puts all keys, or every other one, in one bucket', async () => {
    const inBuckets = async (distribution: GpuDistribution): Promise<number[]> => {
      const [buffer] = await inputsOf('u32', distribution);
      const counts = new Map<number, number>();
      for (const key of new Uint32Array(buffer)) {
        counts.set(key >>> 16, (counts.get(key >>> 16) ?? 0) + 1);
      }
      return [...counts.values()].sort((a, b) => b - a);
    };
    expect(await inBuckets('bucket')).toEqual([LENGTH]);
    const [most = 0, next = 0] = await inBuckets('half-bucket');
    expect(most / LENGTH).toBeGreaterThan(0.4);
    expect(most / LENGTH).toBeLessThan(0.6);
    expect(next / LENGTH).toBeLessThan(0.1);
  });
});

describe('DeviceCheck', () => {
  const { STORAGE, COPY_SRC, COPY_DST } = { STORAGE: 0x80, COPY_SRC: 0x4, COPY_DST: 0x8 };

  /** What it says of records that the host made up. */
  async function checkRecords(
    keyType: MeasuredType,
    before: ArrayLike<number>,
    after: ArrayLike<number>,
    values?: ArrayLike<number>,
    by = device,
  ): Promise<string | undefined> {
    const View = { f32: Float32Array, f64: Float64Array, u32: Uint32Array, u64: Uint32Array }[
      keyType
    ];
    const bufferOf = (data: Uint32Array | Float32Array | Float64Array): GPUBuffer => {
      const usage = STORAGE | COPY_SRC | COPY_DST;
      const buffer = device.createBuffer({ size: data.byteLength, usage });
      device.queue.writeBuffer(buffer, 0, data as Uint32Array<ArrayBuffer>);
      return buffer;
    };
    const checker = new DeviceCheck(
      by,
      {
        keyType,
        length: keyType === 'u64' ? after.length / 2 : after.length,
        before: bufferOf(View.from(before)),
        after: bufferOf(View.from(after)),
        values: values && bufferOf(Uint32Array.from(values)),
      },
      2,
    );
    // The second kind, so that the first is seen to stay out of it.
    device.queue.submit([recorded(device, (encoder) => checker.check(1, encoder))]);
    const [none, fault] = await checker.faults();
    expect(none).toBeUndefined();
    return fault;
  }

  const before = [3, -1, 3, 2];
  const after = [-1, 2, 3, 3];
  const wide = [9, 1, 0, 2, 8, 1];

  const right = [
    ['keys', 'f32', before, after, undefined],
    ['pairs', 'f32', before, after, [1, 3, 0, 2]],
    ['keys of two words', 'u64', wide, [8, 1, 9, 1, 0, 2], undefined],
    ['pairs with keys of two words', 'u64', wide, [8, 1, 9, 1, 0, 2], [2, 0, 1]],
    ['numbers of two words', 'f64', [1.5, -2, 1e300, -0], [-2, -0, 1.5, 1e300], [1, 3, 0, 2]],
    ['zeros of both signs', 'f32', [0, -0, -1], [-1, -0, 0], [2, 1, 0]],
    ['large keys', 'u32', [2 ** 31, 1, 2 ** 32 - 1], [1, 2 ** 31, 2 ** 32 - 1], undefined],
  ] as const;
  it.each(sample(right, 2, seed))(
    'finds nothing wrong with sorted %s',
    async (_, keyType, was, is, values) => {
      expect(await checkRecords(keyType, was, is, values)).toBeUndefined();
    },
  );

  const wrong = [
    ['out of order', 'f32', before, [-1, 3, 2, 3], undefined],
    ['out of order', 'u64', wide, [9, 1, 8, 1, 0, 2], undefined],
    ['out of order', 'u64', wide, [0, 2, 8, 1, 9, 1], [1, 2, 0]],
    ['out of order', 'f64', [-1, -2], [-1, -2], undefined],
    ['out of order', 'f32', [0, -0], [0, -0], undefined],
    ['other keys', 'f32', before, [-1, 2, 2, 3], undefined],
    ['other keys', 'u64', wide, [8, 1, 8, 1, 0, 2], undefined],
    ['overtaken', 'f32', before, after, [1, 3, 2, 0]],
    ['overtaken', 'f32', before, after, [1, 3, 0, 0]],
    ['not those of their keys', 'f32', before, after, [3, 1, 0, 2]],
    ['not those of their keys', 'f32', before, after, [1, 3, 0, 7]],
  ] as const;
  it.each(sample(wrong, 3, seed))('finds %s', async (fault, keyType, was, is, values) => {
    expect(await checkRecords(keyType, was, is, values)).toContain(fault);
  });

  it('looks at keys in parts if a binding does not hold them', async () => {
    // Bindings of 300 words: parts of 192, of which the last one is shorter.
    const narrow = new Proxy(device, {
      get(target, name: keyof GPUDevice) {
        if (name === 'limits') return { maxStorageBufferBindingSize: 1200 };
        const value = target[name];
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const length = 500;
    const shape = { keyType: 'u32', hasValues: false, length } as const;
    const kinds = ['sorted', 'random'] as const;
    const wordsBy = async (by: GPUDevice, distribution: GpuDistribution) => {
      const records = new DeviceRecords(by, shape, kinds, new Random(seed));
      const refresh = (encoder: GPUCommandEncoder): void => records.refresh(distribution, encoder);
      device.queue.submit([recorded(device, refresh)]);
      return new Uint32Array(await readBuffer(device, records.keys.from));
    };
    for (const kind of kinds)
      expect(await wordsBy(narrow, kind)).toEqual(await wordsBy(device, kind));
    const keys = await wordsBy(device, 'random');
    const sorted = keys.slice().sort();
    expect(await checkRecords('u32', keys, sorted, undefined, narrow)).toBeUndefined();
    const other = sorted.with(499, sorted[498]!);
    expect(await checkRecords('u32', keys, other, undefined, narrow)).toMatch('other keys');
    // Nothing but the neighbours at the border of two parts is out of order.
    const descending = Uint32Array.from(sorted, (_, i) => sorted[i < 192 ? i + 308 : i - 192]!);
    expect(await checkRecords('u32', keys, descending, undefined, narrow)).toMatch('out of order');
  });

  it('misses a check that never ran', async () => {
    const buffer = device.createBuffer({ size: 16, usage: STORAGE });
    const sorted = {
      keyType: 'u32',
      length: 4,
      before: buffer,
      after: buffer,
      values: undefined,
    } as const;
    const checker = new DeviceCheck(device, sorted, 1);
    recorded(device, (encoder) => checker.check(0, encoder));
    expect(await checker.faults()).toEqual(['1 sorts, 0 checks']);
  });
});
