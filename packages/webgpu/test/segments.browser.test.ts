/** A browser's own compiler of shaders takes the kernels for segments, too. */

import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { expect, it } from 'vitest';
import { RadixSorter } from '../src/index.js';
import { foundAdapter } from './shared-devices.js';

const LENGTHS = [0, 1, 40, 700, 5000];
const FIRST = 16;

it.each(sample(['plain', 'full'] as const, 1))(
  'segments are sorted on a %s device in a page',
  async (kind) => {
    const adapter = await foundAdapter();
    const descriptor = kind === 'full' ? RadixSorter.deviceDescriptor(adapter) : {};
    const device = await adapter.requestDevice(descriptor);
    const warnings: string[] = [];
    const starts = [0];
    for (const length of LENGTHS) starts.push((starts.at(-1) as number) + length);
    const maxCount = starts.at(-1) as number;
    const random = new Random(runSeed());
    const keys = Uint32Array.from({ length: maxCount }, () => random.below(2 ** 32));
    const sorter = await RadixSorter.create(device, {
      keyType: 'u32',
      maxCount,
      maxSegments: LENGTHS.length,
      onWarning: ({ message }) => warnings.push(message),
    });
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const bufferOf = (words: Uint32Array<ArrayBuffer>): GPUBuffer => {
      const buffer = device.createBuffer({ size: words.byteLength, usage });
      device.queue.writeBuffer(buffer, 0, words);
      return buffer;
    };
    const segments = { buffer: bufferOf(Uint32Array.from(starts)), count: LENGTHS.length };
    for (const first of [undefined, FIRST]) {
      const buffer = bufferOf(keys);
      const readback = device.createBuffer({
        size: keys.byteLength,
        usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
      });
      const encoder = device.createCommandEncoder();
      sorter.encode(encoder, { keys: buffer, segments: first ? { ...segments, first } : segments });
      encoder.copyBufferToBuffer(buffer, 0, readback, 0, keys.byteLength);
      device.queue.submit([encoder.finish()]);
      await readback.mapAsync(GPUMapMode.READ);
      const sorted = new Uint32Array(readback.getMappedRange());
      LENGTHS.forEach((length, i) => {
        const start = starts[i] as number;
        const own = keys.slice(start, start + length).sort();
        const known = Math.min(length, first ?? length);
        expect(sorted.slice(start, start + known)).toEqual(own.subarray(0, known));
      });
      readback.destroy();
      buffer.destroy();
    }
    expect(warnings).toEqual([]);
    device.destroy();
  },
);
