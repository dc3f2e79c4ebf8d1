/**
 * Devices that share what was compiled. A software GPU compiles kernels for long, so tests that do
 * not lose a device use those from here. The code under test sees an ordinary device: its features,
 * limits and work are those of a real one.
 */

import { findGpu } from '#gpu';

/** A real device, and what was made of it for all. */
interface Shared {
  readonly device: GPUDevice;
  readonly made: Map<string, object>;
}

/** One of no features and default limits, and one of all that the adapter has. */
const shared = new Map<'plain' | 'full', Promise<Shared>>();

/** An adapter of what findGpu() finds; throws where there is none. */
export async function foundAdapter(): Promise<GPUAdapter> {
  const gpu = await findGpu();
  if (typeof gpu === 'string') throw new Error(gpu);
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error('no adapter');
  return adapter;
}

async function open(kind: 'plain' | 'full'): Promise<Shared> {
  // An adapter opens one device.
  const adapter = await foundAdapter();
  const device = await adapter.requestDevice(kind === 'full' ? everything(adapter) : {});
  device.lost.then(() => shared.delete(kind));
  return { device, made: new Map() };
}

function find(kind: 'plain' | 'full'): Promise<Shared> {
  const opening = shared.get(kind) ?? open(kind);
  shared.set(kind, opening);
  return opening;
}

/** All that `adapter` has. */
export function everything({ features, limits }: GPUAdapter): GPUDeviceDescriptor {
  const requiredLimits: Record<string, number> = {};
  for (const name in limits) {
    const limit = limits[name as keyof GPUSupportedLimits];
    if (typeof limit === 'number') requiredLimits[name] = limit;
  }
  return { requiredFeatures: [...features] as GPUFeatureName[], requiredLimits };
}

/**
 * A device for one user. It shows the features and limits of `descriptor`. Layouts and pipelines of
 * equal descriptors are made once for all users. `destroy` destroys the user's own buffers, and
 * `lost` resolves as for any device.
 */
export async function shareDevice(descriptor: GPUDeviceDescriptor = {}): Promise<GPUDevice> {
  const plain = await find('plain');
  const { requiredFeatures = [], requiredLimits = {} } = descriptor;
  if ([...requiredFeatures, ...Object.keys(requiredLimits)].length === 0) return standIn(plain);
  return standIn(await find('full'), {
    features: new Set(['core-features-and-limits', ...requiredFeatures]) as GPUSupportedFeatures,
    limits: withOwn(plain.device.limits, requiredLimits as Partial<GPUSupportedLimits>),
  });
}

/** What modules were made of, without the constants that make no difference. */
const codes = new WeakMap<GPUShaderModule, string>();

/** `code` without the lines that declare constants which it uses nowhere. */
function withoutUnused(code: string): string {
  const names = code.match(/\w+/g) ?? [];
  const uses = new Map<string, number>();
  for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
  return code.replace(/^const (\w+) = \w+;\n/gm, (line, name) =>
    uses.get(name) === 1 ? '' : line,
  );
}

/** Numbers objects, so that they can be part of a key. */
const numbers = new WeakMap<object, number>();
let objects = 0;

function numberOf(object: object): number {
  const number = numbers.get(object) ?? objects++;
  numbers.set(object, number);
  return number;
}

function standIn({ device, made }: Shared, shown: Partial<GPUDevice> = {}): GPUDevice {
  const once = <T extends object>(key: unknown, make: () => T): T => {
    const text = JSON.stringify(key);
    const known = made.get(text) ?? make();
    made.set(text, known);
    return known as T;
  };
  const buffers = new Set<GPUBuffer>();
  const listeners: Parameters<GPUDevice['addEventListener']>[] = [];
  let lose: (info: GPUDeviceLostInfo) => void = () => {};
  const lost = new Promise<GPUDeviceLostInfo>((resolve) => {
    lose = resolve;
  });
  device.lost.then(lose);
  const own: Partial<GPUDevice> = {
    ...shown,
    lost,
    // Counted, and replaced, by each user.
    queue: withOwn(device.queue, {}),
    // Made each time, because its fault has to be found each time.
    createShaderModule: (descriptor) => {
      const module = device.createShaderModule(descriptor);
      codes.set(module, withoutUnused(descriptor.code));
      return module;
    },
    createBindGroupLayout: (descriptor) =>
      once(['group', [...descriptor.entries]], () => device.createBindGroupLayout(descriptor)),
    createPipelineLayout: (descriptor) =>
      once(
        ['layout', [...descriptor.bindGroupLayouts].map((group) => group && numberOf(group))],
        () => device.createPipelineLayout(descriptor),
      ),
    createComputePipeline: (descriptor) => {
      const { layout, compute } = descriptor;
      const make = (): GPUComputePipeline => device.createComputePipeline(descriptor);
      // Its layout is a pipeline's own.
      if (typeof layout === 'string') return make();
      const { module, ...rest } = compute;
      return once(['pipeline', numberOf(layout), codes.get(module), rest], make);
    },
    createBuffer: (descriptor) => {
      const buffer = device.createBuffer(descriptor);
      buffers.add(buffer);
      const destroy = buffer.destroy.bind(buffer);
      buffer.destroy = () => {
        buffers.delete(buffer);
        return destroy();
      };
      return buffer;
    },
    addEventListener: (...listener: Parameters<GPUDevice['addEventListener']>) => {
      listeners.push(listener);
      device.addEventListener(...listener);
    },
    destroy: () => {
      for (const [type, listener] of listeners) device.removeEventListener(type, listener);
      for (const buffer of buffers) buffer.destroy();
      lose({ reason: 'destroyed', message: '' } as GPUDeviceLostInfo);
      return undefined;
    },
  };
  return withOwn(device, own);
}

/** `target`, but for the members of `own` and for what is set. */
function withOwn<T extends object>(target: T, own: Partial<T>): T {
  const members = new Map<PropertyKey, unknown>(Object.entries(own));
  return new Proxy(target, {
    get: (_, name) => {
      if (members.has(name)) return members.get(name);
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
    set: (_, name, value) => {
      members.set(name, value);
      return true;
    },
  });
}
