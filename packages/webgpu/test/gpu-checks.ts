/** What holds of findGpu() and watchedDevice() in Node and in a page. */

import { describe, expect, it } from 'vitest';
import { findGpu } from '#gpu';
import { BufferUsage, MapMode, ShaderStage } from '../src/device/usage.js';
import { type WatchedDevice, watchedDevice } from './watched-device.js';

const LENGTH = 1000;
const BYTES = LENGTH * Uint32Array.BYTES_PER_ELEMENT;

const CODE = `
  @group(0) @binding(0) var<storage, read_write> numbers: array<u32>;
  @compute @workgroup_size(64) fn triple(@builtin(global_invocation_id) id: vec3u) {
    if (id.x < arrayLength(&numbers)) { numbers[id.x] *= 3; }
  }`;

/** The numbers 0, 1, 2 and so on, tripled on the device. */
async function tripled({ device }: WatchedDevice): Promise<Uint32Array> {
  const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = BufferUsage;
  const module = device.createShaderModule({ code: CODE });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const numbers = device.createBuffer({ size: BYTES, usage: STORAGE | COPY_SRC | COPY_DST });
  const result = device.createBuffer({ size: BYTES, usage: MAP_READ | COPY_DST });
  device.queue.writeBuffer(
    numbers,
    0,
    Uint32Array.from({ length: LENGTH }, (_, i) => i),
  );
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  const entries = [{ binding: 0, resource: { buffer: numbers } }];
  const layout = pipeline.getBindGroupLayout(0);
  pass.setBindGroup(0, device.createBindGroup({ layout, entries }));
  pass.dispatchWorkgroups(Math.ceil(LENGTH / 64));
  pass.end();
  encoder.copyBufferToBuffer(numbers, 0, result, 0, BYTES);
  device.queue.submit([encoder.finish()]);
  numbers.destroy();
  await result.mapAsync(MapMode.READ);
  return new Uint32Array(result.getMappedRange().slice(0));
}

/** A mistake: a buffer that is mapped for reading cannot be storage. */
const makeMistake = ({ device }: WatchedDevice): GPUBuffer =>
  device.createBuffer({ size: 16, usage: BufferUsage.MAP_READ | BufferUsage.STORAGE });

const createMappable = ({ device }: WatchedDevice, size = 16): GPUBuffer =>
  device.createBuffer({ size, usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST });

type Flags = Pick<typeof globalThis, 'GPUBufferUsage' | 'GPUMapMode' | 'GPUShaderStage'>;

/** Declares the checks; `flags` are the runtime's own. */
export function describeGpu(where: string, flags: Flags): void {
  it(`our flags are those of WebGPU ${where}`, () => {
    const { GPUBufferUsage, GPUMapMode, GPUShaderStage } = flags;
    const pairs = [
      [BufferUsage, GPUBufferUsage],
      [MapMode, GPUMapMode],
      [ShaderStage, GPUShaderStage],
    ] as const;
    for (const [ours, theirs] of pairs) {
      for (const [name, value] of Object.entries(ours)) expect(theirs).toHaveProperty(name, value);
    }
  });

  describe(`findGpu ${where}`, () => {
    it('finds one entry point, always the same', async () => {
      const [gpu, again] = await Promise.all([findGpu(), findGpu()]);
      expect(gpu).toBeTypeOf('object');
      expect(again).toBe(gpu);
      expect(await findGpu()).toBe(gpu);
    });
  });

  describe(`a watched device ${where}`, () => {
    it('computes, counts calls and knows which buffers live', async () => {
      const watched = await watchedDevice();
      expect(await tripled(watched)).toEqual(Uint32Array.from({ length: LENGTH }, (_, i) => 3 * i));
      expect(watched.calls).toEqual({
        createBuffer: 2,
        createBindGroup: 1,
        createComputePipeline: 1,
        submit: 1,
        writeBuffer: 1,
        mapAsync: 1,
      });
      const [result, ...rest] = watched.liveBuffers();
      expect(rest).toEqual([]);
      expect(watched.liveBytes()).toBe(BYTES);
      result!.destroy();
      expect(watched.liveBuffers()).toEqual([]);
      await watched.assertClean();
      watched.device.destroy();
    });

    it('reports a mistake once', async () => {
      const watched = await watchedDevice();
      await watched.assertClean();
      makeMistake(watched);
      await expect(watched.assertClean()).rejects.toThrow(/^GPUValidationError: .*MapRead/);
      await watched.assertClean();
      watched.device.destroy();
    });

    it('leaves a mistake to the scope that its user opened', async () => {
      const watched = await watchedDevice();
      watched.device.pushErrorScope('validation');
      makeMistake(watched);
      const error = await watched.device.popErrorScope();
      expect(error?.constructor.name).toBe('GPUValidationError');
      await watched.assertClean();
      watched.device.destroy();
    });

    it('reports a mistake that no scope sees', async () => {
      const watched = await watchedDevice();
      for (let scope = 0; scope < 3; scope++) await watched.device.popErrorScope();
      makeMistake(watched);
      await watched.device.queue.onSubmittedWorkDone();
      await expect(watched.assertClean()).rejects.toThrow(/^GPUValidationError: /);
      watched.device.destroy();
    });

    it('is lost when destroyed, and its buffers with it', async () => {
      const watched = await watchedDevice();
      const buffer = createMappable(watched);
      const mapping = buffer.mapAsync(MapMode.READ);
      watched.device.destroy();
      await expect(mapping).rejects.toThrow(expect.objectContaining({ name: 'AbortError' }));
      expect((await watched.device.lost).reason).toBe('destroyed');
      expect(watched.liveBuffers()).toEqual([]);
      await watched.assertClean();
    });
  });

  describe(`want of memory ${where}`, () => {
    /** Creates a buffer that fails, and says how that shows. */
    async function symptoms(watched: WatchedDevice, size: number): Promise<unknown> {
      const { device } = watched;
      device.pushErrorScope('out-of-memory');
      device.pushErrorScope('validation');
      const buffer = createMappable(watched, size);
      const mistake = await device.popErrorScope();
      const failure = await device.popErrorScope();
      device.pushErrorScope('validation');
      device.queue.writeBuffer(buffer, 0, new Uint8Array(16));
      const use = await device.popErrorScope();
      device.pushErrorScope('validation');
      const mapping = await buffer.mapAsync(MapMode.READ).catch((error: Error) => error.name);
      const mapped = await device.popErrorScope();
      buffer.destroy();
      await watched.assertClean();
      device.destroy();
      const kinds = [mistake, failure, use, mapped].map((error) => error?.constructor.name);
      return { kinds, mapping };
    }

    it('shows the same when made up', async (test) => {
      const madeUp = await watchedDevice();
      test.skip(
        !madeUp.adapter.info.isFallbackAdapter,
        'a GPU may well make the largest buffer that it allows',
      );
      // The largest buffer that SwiftShader allows is one that it cannot make.
      const { maxBufferSize } = madeUp.adapter.limits;
      const real = await watchedDevice({ requiredLimits: { maxBufferSize } });
      madeUp.failNextBuffer();
      const expected = await symptoms(real, maxBufferSize);
      expect(expected).toMatchObject({
        kinds: [undefined, 'GPUOutOfMemoryError', 'GPUValidationError', 'GPUValidationError'],
      });
      expect(await symptoms(madeUp, 16)).toEqual(expected);
    });

    it('befalls one buffer, which then does not live', async () => {
      const watched = await watchedDevice();
      watched.failNextBuffer();
      const mapped = watched.device.createBuffer({
        size: 16,
        usage: BufferUsage.COPY_SRC,
        mappedAtCreation: true,
      });
      expect(mapped.getMappedRange().byteLength).toBe(16);
      expect(watched.liveBuffers()).toEqual([]);
      const fine = createMappable(watched);
      await fine.mapAsync(MapMode.READ);
      expect(watched.liveBuffers()).toEqual([fine]);
      await expect(watched.assertClean()).rejects.toThrow(/^GPUOutOfMemoryError: /);
      await watched.assertClean();
      watched.device.destroy();
    });
  });
}
