/** The arguments of `encode`, and the errors that name what is wrong with them. */

import { describe } from '@keysweep/core';
import type { Widths } from '@keysweep/kernels/wgsl';
import type { GPUBuffer } from '../../device/gpu-types.js';
import { BufferUsage } from '../../device/usage.js';
import type { SharedScratch } from '../recording/uniforms.js';

/** The part of a sorter's options that decides what it takes. */
interface Taken {
  readonly valueType?: string | undefined;
  readonly maxCount: number;
  readonly scratch?: SharedScratch | undefined;
}

/** A number of keys that only the GPU knows: a u32 in a buffer with usage STORAGE. */
export interface GpuCount {
  /** Usage STORAGE. Holds the count as a u32. Must not be the buffer of keys or values. */
  readonly buffer: GPUBuffer;
  /** In bytes, a multiple of 4. Default 0. */
  readonly offset?: number | undefined;
}

/** A dispatch over the keys that were sorted, whose size the sorter writes. */
export interface NextDispatch {
  /**
   * Usage STORAGE, and INDIRECT for the dispatch. The sorter writes three u32s there, the
   * workgroups in x, y and z. Must not be the buffer of keys, values or the count.
   */
  readonly buffer: GPUBuffer;
  /** In bytes, a multiple of 4. Default 0. */
  readonly offset?: number | undefined;
  /** Keys that a workgroup of the dispatch takes, from 1 to 2^24. */
  readonly workgroupSize: number;
}

/** One sort to record. */
export interface RadixSortArguments {
  /** Usage STORAGE. Keys `offset` to `offset + count - 1` are sorted in place. */
  readonly keys: GPUBuffer;
  /**
   * Usage STORAGE. The payload of every key, at the same index; for sorters with a `valueType`.
   * With 'index' their content before the sort does not matter.
   */
  readonly values?: GPUBuffer | undefined;
  /**
   * Number of keys, from 0 to `maxCount`. A larger number in a GpuCount is taken as `maxCount`; the
   * buffers must have room for that many.
   */
  readonly count: number | GpuCount;
  /** Index of the first key, and of its payload. Default 0. */
  readonly offset?: number | undefined;
  /**
   * Has the sorter write how many workgroups a dispatch over the sorted keys takes, for a count
   * that only the GPU knows. They come in rows of at most 65,535, so the last row may have some too
   * many. For no keys there are none.
   *
   * ```ts
   * const dispatch = { buffer: sizes, workgroupSize: 256 };
   * sorter.encode(pass, { keys, values, count: { buffer: counts }, dispatch });
   * // ... your pipeline and bind groups
   * pass.dispatchWorkgroupsIndirect(sizes, 0);
   * ```
   */
  readonly dispatch?: NextDispatch | undefined;
  /** Absent if all keys are sorted together: see `SegmentSortArguments`. */
  readonly segments?: undefined;
}

/** The whole records that the buffers hold. */
export const roomOf = (
  { keys, values }: Pick<RadixSortArguments, 'keys' | 'values'>,
  { keyWords, valueWords }: Widths,
): number =>
  Math.min(
    Math.floor(keys.size / (4 * keyWords)),
    ...(values === undefined ? [] : [Math.floor(values.size / (4 * valueWords))]),
  );

/** @throws TypeError */
export function checkEncoder(encoder: unknown): void {
  const { beginComputePass, dispatchWorkgroups } = Object(encoder);
  if (typeof beginComputePass === 'function' || typeof dispatchWorkgroups === 'function') return;
  throw new TypeError(
    `encoder must be a GPUCommandEncoder or a GPUComputePassEncoder, got ${describe(encoder)}`,
  );
}

/** @throws TypeError, RangeError */
export function checkArguments(
  { keys, values, count, offset = 0, dispatch }: RadixSortArguments,
  options: Taken,
  { keyWords, valueWords }: Widths,
): void {
  const { valueType, maxCount } = options;
  checkRecords({ keys, values }, options);
  if (typeof count === 'number') wholeNumber('count', count, 0, maxCount);
  else checkGpuCount('count', count);
  if (typeof count === 'object' && (count.buffer === keys || count.buffer === values)) {
    throw new TypeError('count.buffer must be another buffer than keys and values');
  }
  const sorted = typeof count === 'number' ? count : maxCount;
  // Indices have 32 bits.
  const maxOffset = valueType === 'index' ? 2 ** 32 - sorted : Number.MAX_SAFE_INTEGER;
  wholeNumber('offset', offset, 0, maxOffset);
  const last = offset + (typeof count === 'number' ? count : 0);
  checkBuffer('keys', keys, last * 4 * keyWords, last);
  if (values !== undefined) checkBuffer('values', values, last * 4 * valueWords, last);
  if (dispatch === undefined) return;
  if (typeof dispatch !== 'object' || dispatch === null) {
    throw new TypeError(
      `dispatch must be { buffer, offset, workgroupSize }, got ${describe(dispatch)}`,
    );
  }
  const { buffer, offset: at = 0, workgroupSize } = dispatch;
  wholeNumber('dispatch.offset', at, 0, Number.MAX_SAFE_INTEGER);
  if (at % 4 !== 0) throw new RangeError(`dispatch.offset must be a multiple of 4, got ${at}`);
  wholeNumber('dispatch.workgroupSize', workgroupSize, 1, 2 ** 24);
  checkBuffer('dispatch.buffer', buffer, at + 12, at / 4 + 3);
  if ([keys, values, typeof count === 'number' ? undefined : count.buffer].includes(buffer)) {
    throw new TypeError("dispatch.buffer must be another buffer than keys, values and the count's");
  }
}

/**
 * @throws TypeError if `values` are given to a sorter without any, or missing for one with them.
 */
export function checkRecords(
  { keys, values }: Pick<RadixSortArguments, 'keys' | 'values'>,
  { valueType, scratch }: Pick<Taken, 'valueType' | 'scratch'>,
): void {
  if ((values === undefined) !== (valueType === undefined)) {
    throw new TypeError(
      valueType === undefined
        ? 'values was given to a sorter that was made without a valueType'
        : `values is missing: the sorter was made for valueType '${valueType}'`,
    );
  }
  if (values === keys) throw new TypeError('keys and values must be two buffers');
  for (const [name, buffer] of Object.entries({ keys, values })) {
    if (buffer === undefined || (buffer !== scratch?.keys && buffer !== scratch?.values)) continue;
    throw new TypeError(`${name} must be another buffer than those of scratch`);
  }
}

export function checkGpuCount(name: string, count: GpuCount): void {
  if (typeof count !== 'object' || count === null) {
    throw new TypeError(`${name} must be a number or { buffer, offset }, got ${describe(count)}`);
  }
  const { buffer, offset = 0 } = count;
  wholeNumber(`${name}.offset`, offset, 0, Number.MAX_SAFE_INTEGER);
  if (offset % 4 !== 0) {
    throw new RangeError(`${name}.offset must be a multiple of 4, got ${offset}`);
  }
  checkBuffer(`${name}.buffer`, buffer, offset + 4, 1);
}

export function checkBuffer(
  name: string,
  buffer: GPUBuffer,
  bytes: number,
  elements: number,
): void {
  if (typeof buffer?.size !== 'number') {
    throw new TypeError(`${name} must be a GPUBuffer, got ${describe(buffer)}`);
  }
  if ((buffer.usage & BufferUsage.STORAGE) === 0) {
    throw new TypeError(`${name} must have usage STORAGE, its usage is ${buffer.usage}`);
  }
  if (buffer.size < bytes) {
    throw new RangeError(
      `${name} has ${buffer.size} bytes, but elements up to ${elements} need ${bytes}`,
    );
  }
}

export function wholeNumber(name: string, value: unknown, least: number, most: number): void {
  if (typeof value !== 'number') {
    throw new TypeError(`${name} must be a number, got ${describe(value)}`);
  }
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new RangeError(`${name} must be a whole number from ${least} to ${most}, got ${value}`);
}
