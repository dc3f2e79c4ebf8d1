/**
 * The types of WebGPU that public declarations name. They are the compiling program's own, from its
 * DOM library (TypeScript 6 and later) or from `@webgpu/types`. A program that has neither can do
 * without: there, objects of a GPU have the few members that tell them apart.
 */

import type { GlobalInstance } from '@keysweep/core';

/** What every object of a GPU has. */
interface Labelled {
  label: string;
}

interface Adapter {
  readonly info: object;
  requestDevice(descriptor?: DeviceDescriptor): Promise<object>;
}

interface DeviceDescriptor {
  label?: string;
  requiredFeatures?: Iterable<string>;
  requiredLimits?: Record<string, number | undefined>;
}

interface Device extends Labelled {
  readonly lost: Promise<object>;
  createBuffer(descriptor: { size: number; usage: number }): object;
}

interface Buffer extends Labelled {
  readonly size: number;
  readonly usage: number;
}

interface CommandEncoder extends Labelled {
  finish(): object;
}

interface ComputePassEncoder extends Labelled {
  end(): void;
}

type GPUAdapter = GlobalInstance<'GPUAdapter', Adapter>;
type GPUBindGroup = GlobalInstance<'GPUBindGroup', Labelled>;
type GPUBuffer = GlobalInstance<'GPUBuffer', Buffer>;
type GPUCommandEncoder = GlobalInstance<'GPUCommandEncoder', CommandEncoder>;
type GPUComputePassEncoder = GlobalInstance<'GPUComputePassEncoder', ComputePassEncoder>;
type GPUComputePipeline = GlobalInstance<'GPUComputePipeline', Labelled>;
type GPUDevice = GlobalInstance<'GPUDevice', Device>;
type GPUDeviceDescriptor = NonNullable<Parameters<GPUAdapter['requestDevice']>[0]>;
/** The set of an adapter's features has strings, of which no program says that they are names. */
type WantedDevice = Omit<GPUDeviceDescriptor, 'requiredFeatures'> & {
  requiredFeatures?: Iterable<string>;
};
type GPUQuerySet = GlobalInstance<'GPUQuerySet', Labelled>;

interface GPUBufferBinding {
  buffer: GPUBuffer;
  offset?: number;
  size?: number;
}

interface GPUComputePassTimestampWrites {
  querySet: GPUQuerySet;
  beginningOfPassWriteIndex?: number;
  endOfPassWriteIndex?: number;
}

type GPUPowerPreference = 'low-power' | 'high-performance';

export type {
  GPUAdapter,
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUCommandEncoder,
  GPUComputePassEncoder,
  GPUComputePassTimestampWrites,
  GPUComputePipeline,
  GPUDevice,
  GPUDeviceDescriptor,
  GPUPowerPreference,
  WantedDevice,
};
