/**
 * What the sorts have in common: their methods, the buffers of records that they take, and the
 * scratch memory between which and the caller's buffers passes go back and forth.
 */

import { CONSTANTS, LAYOUTS, type Widths } from '@keysweep/kernels/wgsl';
import type {
  GPUBindGroup,
  GPUBuffer,
  GPUBufferBinding,
  GPUComputePassEncoder,
  GPUDevice,
} from '../../device/gpu-types.js';
import { BufferUsage } from '../../device/usage.js';
import type { LabelledWidths, Pipelines } from './pipelines.js';
import { type CountBinding, named, type SharedScratch } from './uniforms.js';

/** Buffers of records: keys first, then values if there are any. */
export type RecordBuffers = readonly GPUBufferBinding[];

/**
 * Bind groups for passes from the caller's buffers to scratch, and from scratch to the caller's.
 */
export interface PingPong {
  readonly toScratch: GPUBindGroup;
  readonly toCaller: GPUBindGroup;
  /** Present if the sort may be hybrid: the caller's buffers beside scratch. */
  readonly exchange?: GPUBindGroup;
}

/** A sort that records commands, and holds the memory that its sorts share. */
export interface RecordedSort<Groups> {
  /** Bytes of GPU memory held. */
  readonly bytes: number;
  /** Compiles what `record` would compile. */
  compile(): void;
  /** The bind groups for `caller`, the buffers that hold the input and get the result. */
  bind(caller: RecordBuffers): Groups;
  /** Records a sort of as many keys as `count` binds, at most `most`. */
  record(pass: GPUComputePassEncoder, groups: Groups, count: CountBinding, most: number): void;
  destroy(): void;
}

/** A sort by many workgroups. */
export interface DeviceSort extends RecordedSort<PingPong> {
  /** `Plan` of kernels/wgsl/fragments/order.wgsl, filled when a recorded sort has run. */
  readonly plan: GPUBuffer;
  /** Room for as many records as it was made with. A sort uses the first ones. */
  readonly scratch: readonly GPUBuffer[];
}

/** Bytes of the plan's buffer, which hold the largest plan. */
export const PLAN_BYTES = 512;

/** The same with heavy values: `HeavyValues` of kernels/wgsl/fragments/order.wgsl. */
export const HEAVY_PLAN_BYTES: number =
  PLAN_BYTES + 4 * (4 + 3 * CONSTANTS.HEAVY_SLOTS + CONSTANTS.RADIX);

/** Where the plan has the number of passes that are run, in bytes: for profiles. */
export const PASSES_RUN_AT: number = LAYOUTS.Plan.passesRun;
/** Where it has the number of blocks, in bytes: 0 if no pass of reduce-then-scan is needed. */
export const BLOCKS_AT: number = LAYOUTS.Plan.blocks;

/** A buffer of the sort's own. */
export function makeBuffer(
  device: GPUDevice,
  label: string,
  size: number,
  usage: number = BufferUsage.STORAGE,
): GPUBuffer {
  return device.createBuffer({ label, size, usage });
}

/** Scratch buffers for `room` records: the caller's, if there are any. */
export function scratchBuffers(
  device: GPUDevice,
  widths: LabelledWidths,
  room: number,
  shared?: SharedScratch,
): GPUBuffer[] {
  const { keyWords, valueWords } = widths;
  if (shared !== undefined) return [shared.keys, ...(shared.values ? [shared.values] : [])];
  const keys = makeBuffer(device, named('scratch keys', widths), 4 * keyWords * room);
  if (valueWords === 0) return [keys];
  return [keys, makeBuffer(device, named('scratch values', widths), 4 * valueWords * room)];
}

/** `count` records from `first` on, in buffers of keys and of values. */
export const recordsIn = (
  buffers: readonly GPUBuffer[],
  { keyWords, valueWords }: Pick<Widths, 'keyWords' | 'valueWords'>,
  first: number,
  count: number,
): RecordBuffers =>
  buffers.map((buffer, i) => {
    const bytes = 4 * (i === 0 ? keyWords : valueWords);
    return { buffer, offset: first * bytes, size: count * bytes };
  });

/** The bind groups of passes between `caller` and `scratch`. */
export function pingPong(
  pipelines: Pipelines,
  caller: RecordBuffers,
  scratch: RecordBuffers,
): PingPong {
  return {
    toScratch: pipelines.group('pingPong', inPairs(caller, scratch)),
    toCaller: pipelines.group('pingPong', inPairs(scratch, caller)),
  };
}

/** The keys of both, then the values of both. */
export const inPairs = (one: RecordBuffers, other: RecordBuffers): GPUBufferBinding[] =>
  one.flatMap((buffer, i) => [buffer, other[i] as GPUBufferBinding]);
