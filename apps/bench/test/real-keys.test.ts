import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumFolder } from '../../../tools/chromium.js';
import { optionsOf } from '../src/commands/gpu-keys.js';
import { GpuMachine } from '../src/gpu/device/machine.js';
import { definitionsOfFiles, groupsOf } from '../src/gpu/inputs/definitions.js';
import { keyFile } from '../src/gpu/inputs/key-files.js';
import {
  type KeysName,
  OTHER_NAMES,
  PIECE,
  piecesOf,
  REAL_NAMES,
} from '../src/gpu/inputs/real-keys.js';
import { measureGroup } from '../src/gpu/measure.js';

const seed = runSeed();
const LENGTH = 2 ** 16;

const keysOf = (name: KeysName): number[] =>
  Array.from(piecesOf(name, LENGTH, seed)(0) as Float64Array, Number);

/** The share of keys of which `is` holds; five standard deviations are 0.01 at most. */
const shareOf = (keys: readonly number[], is: (key: number) => boolean): number =>
  keys.filter(is).length / keys.length;

/** How often the most frequent keys come, in descending order. */
function countsOf(keys: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => b - a);
}

describe(`keys as programs have them (seed ${seed})`, () => {
  it.each(['f32-unit', 'f64-unit'] as const)('%s is even from 0 to 1', (name) => {
    const keys = keysOf(name);
    // A Float32Array rounds the largest ones to 1.
    expect(keys.every((key) => key >= 0 && key <= 1)).toBe(true);
    for (const part of [0.1, 0.5, 0.9]) {
      expect(shareOf(keys, (key) => key < part)).toBeCloseTo(part, 1);
    }
  });

  it.each(['f32-normal', 'f64-normal'] as const)('%s has the shares of the bell curve', (name) => {
    const keys = keysOf(name);
    for (const [below, share] of [
      [-1, 0.1587],
      [0, 0.5],
      [1, 0.8413],
      [2, 0.9772],
    ] as const) {
      expect(Math.abs(shareOf(keys, (key) => key < below) - share)).toBeLessThan(0.011);
    }
    expect(Math.max(...keys.map(Math.abs))).toBeLessThan(7);
  });

  it('prices are whole cents, half of them below 20', () => {
    const keys = keysOf('f32-prices');
    for (const key of keys) expect(Math.fround(Math.round(key * 100) / 100)).toBe(key);
    expect(Math.min(...keys)).toBeGreaterThanOrEqual(0);
    expect(Math.abs(shareOf(keys, (key) => key < 20) - 0.5)).toBeLessThan(0.011);
    expect(Math.abs(shareOf(keys, (key) => key > 144) - 0.05)).toBeLessThan(0.011);
  });

  it.each([
    ['u32-ids24', 0, 2 ** 24],
    ['u32-seconds', 1_700_000_000, 1_731_536_000],
    ['f64-ms', 1_700_000_000_000, 1_731_536_000_000],
    ['u32-uniform', 0, 2 ** 32],
    ['u64-hash', 0, 2 ** 64],
  ] as const)('%s has whole numbers, even from %d to %d', (name, from, to) => {
    const keys = keysOf(name);
    expect(keys.every((key) => Number.isInteger(key) && key >= from && key <= to)).toBe(true);
    for (const part of [0.1, 0.5, 0.9]) {
      const share = shareOf(keys, (key) => key < from + part * (to - from));
      expect(Math.abs(share - part)).toBeLessThan(0.011);
    }
  });

  it('Zipf ids come as often as their ranks say', () => {
    let total = 0;
    for (let rank = 1; rank <= 1_000_000; rank++) total += rank ** -1.1;
    const counts = countsOf(keysOf('u32-zipf'));
    for (const rank of [1, 2, 10]) {
      const expected = (LENGTH * rank ** -1.1) / total;
      const found = counts[rank - 1] as number;
      expect(Math.abs(found - expected)).toBeLessThan(6 * Math.sqrt(expected));
    }
  });

  it('of repeats, each key comes two or three times on average', () => {
    const counts = countsOf(keysOf('u32-repeats'));
    // One in e^2.5 of the ids is never drawn.
    expect(LENGTH / counts.length).toBeCloseTo(2.5 / (1 - Math.exp(-2.5)), 1);
    expect(counts[0]).toBeLessThan(20);
  });

  it.each([
    ['f32-depths', 4.2],
    ['f64-exponential', Math.LN2],
  ] as const)('%s are above 0, and half of them below %d', (name, middle) => {
    const keys = keysOf(name);
    expect(keys.every((key) => key >= 0)).toBe(true);
    expect(Math.abs(shareOf(keys, (key) => key < middle) - 0.5)).toBeLessThan(0.011);
  });

  it('powers have both signs, and every exponent as often', () => {
    const keys = keysOf('f32-powers');
    expect(Math.abs(shareOf(keys, (key) => key < 0) - 0.5)).toBeLessThan(0.011);
    for (const below of [-20, 0, 20]) {
      const share = shareOf(keys, (key) => Math.log2(2 * Math.abs(key)) < below);
      expect(Math.abs(share - (below + 30) / 60)).toBeLessThan(0.011);
    }
  });

  it('Morton codes have three coordinates near one of 64 centres', () => {
    const keys = keysOf('u32-morton');
    expect(keys.every((key) => key >= 0 && key < 2 ** 30)).toBe(true);
    // Each octant of the cube has its highest bits; 64 centres leave few of 512 parts alike.
    expect(countsOf(keys.map((key) => key >>> 21)).length).toBeLessThan(512);
    expect(countsOf(keys.map((key) => key >>> 27)).length).toBe(8);
  });

  it('addresses lie in 300 networks, some of which have many', () => {
    const counts = countsOf(keysOf('u32-ipv4').map((key) => Math.floor(key / 2 ** 16)));
    expect(counts.length).toBeLessThanOrEqual(300);
    expect((counts[0] as number) / LENGTH).toBeGreaterThan(0.1);
  });

  it('codes are below 1,000, each as often', () => {
    const keys = keysOf('u32-codes');
    expect(Math.max(...keys)).toBe(999);
    const counts = countsOf(keys);
    expect(counts.length).toBe(1000);
    expect(counts[0]).toBeLessThan(LENGTH / 1000 + 6 * Math.sqrt(LENGTH / 1000));
  });

  it('of keys nearly in order, one in 100 is anywhere', () => {
    const keys = keysOf('u32-nearly');
    const part = 2 ** 32 / LENGTH;
    const placed = keys.filter((key, i) => Math.floor(key / part) === i).length;
    expect(Math.abs(placed / LENGTH - 0.99)).toBeLessThan(0.003);
  });

  it('snowflakes have a time of one day, one of 64 machines and a small number', () => {
    const keys = piecesOf('u64-snowflake', LENGTH, seed)(0) as BigUint64Array;
    const times = Array.from(keys, (key) => Number(key >> 22n) - 2 ** 40);
    expect(times.every((time) => time >= 0 && time < 86_400_000)).toBe(true);
    expect(Math.abs(shareOf(times, (time) => time < 43_200_000) - 0.5)).toBeLessThan(0.011);
    expect(keys.every((key) => ((key >> 12n) & 1023n) < 64n)).toBe(true);
    expect(keys.every((key) => (key & 4095n) < 256n)).toBe(true);
  });

  it('reversed keys fall, over the whole range, by pieces too', () => {
    const keys = keysOf('u32-reversed');
    const part = 2 ** 32 / LENGTH;
    expect(keys.every((key, i) => Math.floor(key / part) === LENGTH - 1 - i)).toBe(true);
    const next = piecesOf('u32-reversed', 2 * PIECE, seed)(1) as Uint32Array;
    expect(Math.floor((next[0] as number) / (2 ** 32 / 2 / PIECE))).toBe(PIECE - 1);
  });

  it.each(OTHER_NAMES.slice(1))('%s has as much of it as its name says', (name) => {
    const keys = keysOf(name);
    for (const bit of [0, 31]) {
      const set = shareOf(keys, (key) => (key >>> bit) % 2 === 1);
      const bits = (share: number) => (share === 0 ? 0 : -share * Math.log2(share));
      const entropy = bits(set) + bits(1 - set);
      expect(Math.abs(entropy - Number(name.slice('u32-entropy-'.length)))).toBeLessThan(0.02);
    }
  });

  it.each(sample(REAL_NAMES, 2, seed))('%s differs by piece and by seed', (name) => {
    const length = 2 * PIECE;
    const heads = [piecesOf(name, length, seed)(0), piecesOf(name, length, seed)(1)];
    heads.push(piecesOf(name, length, seed + 1)(0));
    const texts = heads.map((keys) => (keys as Float64Array).subarray(0, 50).join());
    expect(new Set(texts).size).toBe(3);
  });
});

describe('files of keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'keysweep-'));
  let device: GPUDevice;
  beforeAll(async () => {
    const software = chromiumFolder();
    const options = { features: 'none', software, timestamps: false, variant: 'auto' } as const;
    device = await (await GpuMachine.find(options)).device();
  });
  afterAll(() => {
    device.destroy();
    rmSync(folder, { recursive: true });
  });

  it('are made by threads, as one piece after the other says', async () => {
    const { files } = optionsOf([folder, '--sizes', '10,21', '--kinds', 'f32-unit,u64-hash']);
    // As built, because a thread runs JavaScript.
    const { writeKeys } = await import('@keysweep/bench/gpu/inputs/write-keys.js');
    await writeKeys(files, seed);
    expect(readdirSync(folder).sort()).toEqual([
      'f32-unit.10',
      'f32-unit.21',
      'u64-hash.10',
      'u64-hash.21',
    ]);
    for (const { path, name, length } of files) {
      expect(keyFile(path)).toMatchObject({ length, keyType: name.slice(0, 3) });
      const bytes = readFileSync(path);
      const make = piecesOf(name, length, seed);
      const pieces = Array.from({ length: Math.ceil(length / PIECE) }, (_, i) => make(i));
      const wanted = Buffer.concat(pieces.map((keys) => new Uint8Array(keys.buffer)));
      expect(bytes.equals(wanted)).toBe(true);
    }
  });

  it('are measured one by one, alone and with values, and checked', async () => {
    const names = ['f64-normal', 'f32-normal'] as const;
    const { files } = optionsOf([folder, '--sizes', '6', '--kinds', names.join()]);
    const { writeKeys } = await import('@keysweep/bench/gpu/inputs/write-keys.js');
    await writeKeys(files, seed);
    const groups = groupsOf(definitionsOfFiles(files.map(({ path }) => keyFile(path))));
    expect(groups.map((group) => group.length)).toEqual([1, 1, 1, 1]);
    const [group = []] = sample(groups, 1, seed);
    const how = { clock: 'host', withKernels: false } as const;
    const [measured] = await measureGroup(device, group, new Random(seed), how);
    expect(measured?.fault).toBeUndefined();
    const { operation, keyType } = group[0] ?? {};
    const wanted = { operation, keyType, length: 64, distribution: 'normal', verified: true };
    expect(measured?.result).toMatchObject(wanted);
    expect(measured?.result).not.toHaveProperty('path');
  });

  it('must be as long as their names say', () => {
    const path = join(folder, 'f32-unit.10');
    truncateSync(path, 4092);
    expect(() => keyFile(path)).toThrow('has 4092 bytes, and should have 4096');
  });

  it.each([
    [[], 'gpu-keys takes one FOLDER'],
    [['a', 'b'], 'gpu-keys takes one FOLDER'],
    [['a', '--kinds', 'f32-odd'], "got 'f32-odd'"],
  ])('are refused for %j', (args, message) => {
    expect(() => optionsOf(args)).toThrow(message);
  });
});
