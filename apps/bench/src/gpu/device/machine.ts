/** The GPU of this machine: found, described, opened. */

import { useSoftware } from './software.js';
import { useVariant, type Variant } from './variant.js';

/** The features and limits that are requested of a device. */
export type Features = 'none' | 'all';

export interface MachineOptions {
  readonly features: Features;
  /**
   * The folder of a Chromium, whose SwiftShader computes in software; undefined: this machine's
   * GPU.
   */
  readonly software: string | undefined;
  /** Whether to ask for the feature 'timestamp-query', where the adapter has it. */
  readonly timestamps: boolean;
  readonly variant: Variant;
}

/** Dawn's options for a device. */
function dawnOptions({ software, timestamps }: MachineOptions): string[] {
  const disabled: string[] = [];
  // They are rounded to 65 µs otherwise.
  if (timestamps) disabled.push('timestamp_quantization');
  // A loop clears workgroup memory: SwiftShader compiles a store for every word otherwise.
  if (software) disabled.push('use_vulkan_zero_initialize_workgroup_memory_extension');
  const options = disabled.length > 0 ? [`disable-dawn-features=${disabled}`] : [];
  return timestamps ? [...options, 'enable-dawn-features=allow_unsafe_apis'] : options;
}

export class GpuMachine {
  readonly options: MachineOptions;
  readonly #gpu: GPU;

  /** @throws Error when Dawn is not installed or does not load. */
  static async find(options: MachineOptions): Promise<GpuMachine> {
    if (options.software !== undefined) useSoftware(options.software);
    const { create } = await import('webgpu').catch((error: Error) => {
      throw new Error(`the npm package 'webgpu' is needed here: ${error.message}`);
    });
    return new GpuMachine(options, create(dawnOptions(options)));
  }

  private constructor(options: MachineOptions, gpu: GPU) {
    this.options = options;
    this.#gpu = gpu;
    // A process whose last reference to Dawn's entry point is collected crashes.
    Object.assign(globalThis, { [Symbol.for('keysweep benchmarks: dawn')]: gpu });
  }

  /**
   * An adapter whose devices have the options' features and limits, besides those of a request.
   * @throws Error when there is none.
   */
  async adapter(): Promise<GPUAdapter> {
    const adapter = await this.#gpu.requestAdapter({ powerPreference: 'high-performance' });
    if (adapter === null) throw new Error('Dawn finds no adapter: no GPU, or no Vulkan driver');
    const isAll = this.options.features === 'all';
    // The toggles for exact timestamps bring experimental features, which devices of callers lack.
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

  /**
   * A device with the adapter's largest buffers. An uncaptured error or a loss ends the process.
   */
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

/** The GPU, in a record. */
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

/** The description as text, on four lines. */
export function formatGpu(gpu: GpuDescription): string {
  const { vendor, architecture, device, driver, software } = gpu;
  // Dawn's name for what every device can do is left out.
  const features = gpu.features.filter((feature) => feature !== 'core-features-and-limits');
  const limit = (name: string): number => gpu.limits[name] ?? Number.NaN;
  const mib = (name: string): string => `${+(limit(name) / 2 ** 20).toFixed(1)} MiB`;
  const name = [vendor, architecture, device].filter(Boolean).join(', ');
  return [
    `Adapter:  ${name}${software ? ' (SOFTWARE)' : ''}`,
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
