/** The GPU of this machine: found, described, opened. */

import { constants } from 'node:os';
import { join } from 'node:path';
import type { Recording } from '../timing/task.js';
import { useVariant, type Variant } from './variant.js';

/** Which features and limits a device is asked for. */
export type Features = 'none' | 'all';

export interface MachineOptions {
  readonly features: Features;
  /** The folder of a Chromium, whose SwiftShader computes in software; undefined: this machine's GPU. */
  readonly software: string | undefined;
  /** Whether the GPU is to tell the time, where it has the feature: 'timestamp-query'. */
  readonly timestamps: boolean;
  readonly variant: Variant;
}

/** Flags as the WebGPU specification numbers them: Dawn for Node has no globals to read them from. */
export const BufferUsage = {
  MAP_READ: 0x1,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  QUERY_RESOLVE: 0x200,
} as const;
const MAP_MODE_READ = 0x1;

/** Timestamps are rounded to 65 µs otherwise. */
const EXACT_TIMESTAMPS = [
  'disable-dawn-features=timestamp_quantization',
  'enable-dawn-features=allow_unsafe_apis',
];

export class GpuMachine {
  readonly options: MachineOptions;
  readonly #gpu: GPU;

  /** @throws Error for a person when Dawn is not installed or does not load. */
  static async find(options: MachineOptions): Promise<GpuMachine> {
    if (options.software !== undefined) useSoftware(options.software);
    const { create } = await import('webgpu').catch((error: Error) => {
      throw new Error(`the npm package 'webgpu' is needed here: ${error.message}`);
    });
    return new GpuMachine(options, create(options.timestamps ? EXACT_TIMESTAMPS : []));
  }

  private constructor(options: MachineOptions, gpu: GPU) {
    this.options = options;
    this.#gpu = gpu;
    // A process whose last reference to Dawn's entry point is collected crashes.
    Object.assign(globalThis, { [Symbol.for('keysweep-gpu: dawn')]: gpu });
  }

  /**
   * An adapter whose devices have what was asked for, besides what they are requested with.
   * @throws Error for a person when there is none.
   */
  async adapter(): Promise<GPUAdapter> {
    const adapter = await this.#gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (adapter === null) throw new Error('Dawn finds no adapter: no GPU, or no Vulkan driver');
    const isAll = this.options.features === 'all';
    // Experiments come with the exact timestamps; nobody's device has them.
    const features = new Set(
      ([...adapter.features] as GPUFeatureName[]).filter(
        (feature) => isAll && !feature.includes('experimental'),
      ),
    );
    if (this.options.timestamps && adapter.features.has('timestamp-query')) {
      features.add('timestamp-query');
    }
    const limits = isAll ? limitsOf(adapter.limits) : {};
    const request = adapter.requestDevice.bind(adapter);
    adapter.requestDevice = (descriptor) =>
      request({
        ...descriptor,
        requiredFeatures: [...features],
        requiredLimits: { ...descriptor?.requiredLimits, ...limits },
      });
    useVariant(adapter, this.options.variant);
    return adapter;
  }

  /** A device with the adapter's largest buffers. What goes wrong on it unnoticed ends the process. */
  async device(): Promise<GPUDevice> {
    const adapter = await this.adapter();
    const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
    const device = await adapter.requestDevice({
      requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
    });
    const fail = (message: string): void => {
      console.error(message);
      process.exit(1);
    };
    device.addEventListener('uncapturederror', ({ error }) => fail(error.message));
    device.lost.then(({ reason, message }) => {
      if (reason !== 'destroyed') fail(`the device was lost: ${message}`);
    });
    return device;
  }
}

/** Has Vulkan find nothing but the SwiftShader of a Chromium. */
function useSoftware(folder: string): void {
  const RTLD_NODELETE = 0x1000;
  // Dawn asks for the loader by its name alone, which finds it once it is loaded.
  try {
    const library = join(folder, 'libvulkan.so.1');
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  } catch (error) {
    // Loaded, but no addon of Node's.
    if (!(error as Error).message.includes('did not self-register')) throw error;
  }
  delete process.env.VK_DRIVER_FILES;
  process.env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
}

/** What a record says of the GPU. */
export interface GpuDescription {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly driver: string;
  readonly software: boolean;
  readonly features: readonly string[];
  readonly limits: Readonly<Record<string, number>>;
}

/** A device, and the adapter it is of. */
export function describeGpu(device: GPUDevice): GpuDescription {
  const { vendor, architecture, description, isFallbackAdapter, device: name } = device.adapterInfo;
  return {
    vendor,
    architecture,
    device: name,
    driver: description,
    software: isFallbackAdapter || /swiftshader|llvmpipe|lavapipe/i.test(`${name} ${description}`),
    features: [...device.features],
    limits: limitsOf(device.limits),
  };
}

/** The description as a person reads it, on four lines. */
export function formatGpu(gpu: GpuDescription): string {
  const { vendor, architecture, device, driver, software } = gpu;
  // Dawn has one for what every device can do.
  const features = gpu.features.filter((feature) => feature !== 'core-features-and-limits');
  const limit = (name: string): number => gpu.limits[name] ?? Number.NaN;
  const mib = (name: string): string => `${+(limit(name) / 2 ** 20).toFixed(1)} MiB`;
  return [
    `Adapter:  ${[vendor, architecture, device].filter(Boolean).join(', ')}${software ? ' (SOFTWARE)' : ''}`,
    `Driver:   ${driver}`,
    `Features: ${features.length === 0 ? 'none' : features.join(', ')}`,
    `Limits:   buffers ${mib('maxBufferSize')}, bindings ${mib('maxStorageBufferBindingSize')}, ` +
      `workgroups ${limit('maxComputeInvocationsPerWorkgroup')} threads and ` +
      `${limit('maxComputeWorkgroupStorageSize')} bytes`,
  ].join('\n');
}

function limitsOf(limits: GPUSupportedLimits): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const name in limits) {
    const limit: unknown = limits[name as keyof GPUSupportedLimits];
    if (typeof limit === 'number') numbers[name] = limit;
  }
  return numbers;
}

/** Records one after the other into one encoder. */
export function recorded(device: GPUDevice, ...recordings: Recording[]): GPUCommandBuffer {
  const encoder = device.createCommandEncoder();
  for (const record of recordings) record(encoder);
  return encoder.finish();
}

/** What a buffer with usage COPY_SRC holds when all that was submitted is done. */
export async function readBuffer(
  device: GPUDevice,
  buffer: GPUBuffer,
  size: number = buffer.size,
): Promise<ArrayBuffer> {
  const staging = device.createBuffer({ size, usage: BufferUsage.MAP_READ | BufferUsage.COPY_DST });
  const copy = recorded(device, (encoder) =>
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, size),
  );
  device.queue.submit([copy]);
  await staging.mapAsync(MAP_MODE_READ);
  const bytes = staging.getMappedRange().slice(0);
  staging.destroy();
  return bytes;
}
