/** A device that tells on whoever uses it: errors, calls, buffers left behind. */

import { BufferUsage } from '../src/device/usage.js';
import { foundAdapter, shareDevice } from './shared-devices.js';

/** Calls that are counted; `mapAsync` over all buffers. */
type WatchedCall =
  | 'createBuffer'
  | 'createBindGroup'
  | 'createComputePipeline'
  | 'submit'
  | 'writeBuffer'
  | 'mapAsync';

/** A device, and records of its use. */
export interface WatchedDevice {
  readonly adapter: GPUAdapter;
  readonly device: GPUDevice;
  /** How often each was called. */
  readonly calls: Readonly<Record<WatchedCall, number>>;
  /** Buffers that were created and neither destroyed nor made to fail. */
  liveBuffers(): readonly GPUBuffer[];
  /** Their sizes together. */
  liveBytes(): number;
  /** Buffers that lived when the device was destroyed. */
  leftBehind(): readonly GPUBuffer[];
  /**
   * Has the next `createBuffer` go like one that finds no memory: an invalid buffer, and a
   * GPUOutOfMemoryError in the innermost scope for it.
   */
  failNextBuffer(): void;
  /** The same for every `createBuffer` of which `when` says so, until another `when` is given. */
  failBuffers(when: (descriptor: GPUBufferDescriptor) => boolean): void;
  /**
   * Throws if, since the device was made or last found clean, an error reached the outermost scopes
   * (WebGPU keeps the first of each kind) or none at all, or the device was lost but not destroyed.
   */
  assertClean(): Promise<void>;
}

interface Scope {
  readonly filter: GPUErrorFilter;
  /** An error that was made up. */
  error: GPUError | null;
}

const FILTERS: readonly GPUErrorFilter[] = ['validation', 'out-of-memory', 'internal'];

/** Dawn for Node defines no global classes. */
const OutOfMemoryError: new (message: string) => GPUError =
  globalThis.GPUOutOfMemoryError ??
  class GPUOutOfMemoryError {
    constructor(readonly message: string) {}
  };

/** Has `before` called ahead of a method of one object. */
function precede<K extends string>(
  target: { [name in K]: (...args: never[]) => unknown },
  name: K,
  before: (args: readonly unknown[]) => void,
): void {
  const method = target[name];
  target[name] = (...args) => {
    before(args);
    return method.apply(target, args);
  };
}

/** A new device of an adapter. */
export async function watchedDevice(descriptor?: GPUDeviceDescriptor): Promise<WatchedDevice> {
  const adapter = await foundAdapter();
  return watchDevice(adapter, await adapter.requestDevice(descriptor));
}

/** A device that shares what was compiled with others: see shared-devices.ts. */
export async function sharedWatchedDevice(
  descriptorOf: (adapter: GPUAdapter) => GPUDeviceDescriptor = () => ({}),
): Promise<WatchedDevice> {
  const adapter = await foundAdapter();
  return watchDevice(adapter, await shareDevice(descriptorOf(adapter)));
}

/** Watches a device that `adapter` has just opened. */
export function watchDevice(adapter: GPUAdapter, device: GPUDevice): WatchedDevice {
  const calls: Record<WatchedCall, number> = {
    createBuffer: 0,
    createBindGroup: 0,
    createComputePipeline: 0,
    submit: 0,
    writeBuffer: 0,
    mapAsync: 0,
  };
  const live = new Set<GPUBuffer>();
  const left: GPUBuffer[] = [];
  const scopes: Scope[] = [];
  const problems: string[] = [];
  let fails: (descriptor: GPUBufferDescriptor) => boolean = () => false;

  const note = (error: GPUError | Error): void => {
    problems.push(`${error.constructor.name}: ${error.message}`);
  };
  device.addEventListener('uncapturederror', (event) => {
    event.preventDefault();
    note(event.error);
  });
  let isLost = false;
  device.lost.then(({ reason, message }) => {
    isLost = true;
    if (reason !== 'destroyed') problems.push(`device lost: ${message}`);
  });

  const push = device.pushErrorScope.bind(device);
  const pop = device.popErrorScope.bind(device);
  device.pushErrorScope = (filter) => {
    scopes.push({ filter, error: null });
    push(filter);
  };
  device.popErrorScope = async () => {
    const scope = scopes.pop();
    return (await pop()) ?? scope?.error ?? null;
  };

  const create = device.createBuffer.bind(device);
  device.createBuffer = (descriptor) => {
    calls.createBuffer++;
    if (fails(descriptor)) return failedBuffer(descriptor);
    const buffer = create(descriptor);
    live.add(buffer);
    precede(buffer, 'destroy', () => live.delete(buffer));
    precede(buffer, 'mapAsync', () => calls.mapAsync++);
    return buffer;
  };

  /** Nobody can ask for an invalid buffer, only for one with a mistake that nobody hears of. */
  function failedBuffer(descriptor: GPUBufferDescriptor): GPUBuffer {
    const usage = descriptor.usage | BufferUsage.MAP_READ | BufferUsage.MAP_WRITE;
    push('validation');
    const buffer = create({ ...descriptor, usage });
    pop();
    const error = new OutOfMemoryError('no memory, as the test wants it');
    const scope = scopes.findLast(({ filter }) => filter === 'out-of-memory');
    if (scope) scope.error ??= error;
    else note(error);
    return buffer;
  }

  for (const name of ['createBindGroup', 'createComputePipeline'] as const) {
    precede(device, name, () => calls[name]++);
  }
  precede(device.queue, 'submit', () => calls.submit++);
  precede(device.queue, 'writeBuffer', ([, , data]) => {
    calls.writeBuffer++;
    if ((data as ArrayBufferView).byteLength > 0) return;
    note(new TypeError('writeBuffer of an empty array, which ends the process in Deno'));
  });
  precede(device, 'destroy', () => {
    left.push(...live);
    live.clear();
  });

  const openScopes = (): void => {
    for (const filter of FILTERS) device.pushErrorScope(filter);
  };
  openScopes();

  return {
    adapter,
    device,
    calls,
    liveBuffers: () => [...live],
    liveBytes: () => [...live].reduce((sum, { size }) => sum + size, 0),
    leftBehind: () => left,
    failNextBuffer: () => {
      fails = () => {
        fails = () => false;
        return true;
      };
    },
    failBuffers: (when) => {
      fails = when;
    },
    async assertClean() {
      const pops = FILTERS.map(() => device.popErrorScope().catch((error: Error) => error));
      for (const error of await Promise.all(pops)) {
        // Chromium's scopes reject if the device is lost.
        if (error !== null && !(isLost && error instanceof Error)) note(error);
      }
      openScopes();
      if (problems.length > 0) throw new Error(problems.splice(0).join('\n'));
    },
  };
}
