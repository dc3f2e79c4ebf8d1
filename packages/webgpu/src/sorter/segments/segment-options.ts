/**
 * The arguments that describe segments in GPU memory, and errors that say what is wrong with them.
 */

import { describe } from '@keysweep/core';
import { FIRST_LIMITS } from '@keysweep/kernels/wgsl';
import type { GPUBuffer, GPUDevice } from '../../device/gpu-types.js';
import type { SorterOptions } from '../arguments/options.js';
import {
  checkBuffer,
  checkGpuCount,
  checkRecords,
  type GpuCount,
  wholeNumber,
} from '../arguments/sort-arguments.js';

/** Where segments of the keys begin and end. */
export interface GpuSegments {
  /**
   * Usage STORAGE. Holds `count` + 1 ascending places in `keys` as u32s, the first at `offset`:
   * where each segment begins, and where the last one ends. Must not be the buffer of keys or
   * values.
   */
  readonly buffer: GPUBuffer;
  /** Byte offset of the first place, a multiple of 4. Default 0. */
  readonly offset?: number | undefined;
  /**
   * Number of segments, from 0 to `maxSegments`. A larger number in a GpuCount is taken as
   * `maxSegments`, or as many as `buffer` has places for.
   */
  readonly count: number | GpuCount;
  /**
   * How many keys of each segment are wanted, from 0 to 1,024. They are brought to its front, in
   * order, and if they are few that is faster than a sort of all keys. The other keys of the
   * segment follow in any order, with their values; with valueType 'index', their values mean
   * nothing. Ties are decided as in a sort. Absent: all keys are sorted.
   */
  readonly first?: number | undefined;
}

/** A sort of segments to record. */
export interface SegmentSortArguments {
  /** Usage STORAGE. The keys of each segment are sorted in place. */
  readonly keys: GPUBuffer;
  /** Payloads, as in a sort of all keys. With valueType 'index' they become places in `keys`. */
  readonly values?: GPUBuffer | undefined;
  /** Segments of any length, 0 included, with at most `maxCount` keys together. */
  readonly segments: GpuSegments;
  /** Not allowed, because the segments say which keys are sorted. */
  readonly count?: undefined;
  /** Not allowed, for the same reason. */
  readonly offset?: undefined;
  /** Not allowed, because whoever makes segments knows their number. */
  readonly dispatch?: undefined;
}

/** @throws TypeError or RangeError, which name the argument. */
export function checkSegments(
  args: SegmentSortArguments,
  { maxSegments, valueType, scratch }: Pick<SorterOptions, 'maxSegments' | 'valueType' | 'scratch'>,
  device: GPUDevice,
): void {
  const { keys, values, segments } = args;
  checkRecords(args, { valueType, scratch });
  checkBuffer('keys', keys, 0, 0);
  if (values !== undefined) checkBuffer('values', values, 0, 0);
  if (maxSegments === undefined) {
    throw new TypeError('segments was given to a sorter that was made without maxSegments');
  }
  for (const name of ['count', 'offset', 'dispatch'] as const) {
    if (args[name] === undefined) continue;
    throw new TypeError(`${name} must be left out with segments, which say which keys are sorted`);
  }
  if (typeof segments !== 'object' || segments === null) {
    throw new TypeError(`segments must be { buffer, offset, count }, got ${describe(segments)}`);
  }
  const { buffer, offset = 0, count, first = 0 } = segments;
  wholeNumber('segments.first', first, 0, FIRST_LIMITS.most);
  wholeNumber('segments.offset', offset, 0, Number.MAX_SAFE_INTEGER);
  if (offset % 4 !== 0) {
    throw new RangeError(`segments.offset must be a multiple of 4, got ${offset}`);
  }
  if (typeof count === 'number') wholeNumber('segments.count', count, 0, maxSegments);
  else checkGpuCount('segments.count', count);
  const places = typeof count === 'number' ? count + 1 : 1;
  checkBuffer('segments.buffer', buffer, offset + 4 * places, offset / 4 + places);
  for (const [name, one] of [
    ['segments.buffer', buffer],
    ['segments.count.buffer', typeof count === 'number' ? undefined : count.buffer],
  ] as const) {
    if (one === undefined || (one !== keys && one !== values)) continue;
    throw new TypeError(`${name} must be another buffer than keys and values`);
  }
  const { maxStorageBufferBindingSize: most } = device.limits;
  for (const [name, one] of Object.entries({ keys, values })) {
    if (one === undefined || one.size <= most) continue;
    throw new RangeError(
      `${name} has ${one.size} bytes, and segments are sorted in buffers of at most ${most}, ` +
        "this device's maxStorageBufferBindingSize",
    );
  }
}
