/**
 * The parts of a sorter: the sorts that its options call for, and the bind groups that they share.
 *
 * For example, a sorter of 1,000 keys has only the sort by one workgroup. One of a million has a
 * sort by many workgroups, too, and one of more keys than a binding holds also has what merges.
 */

import type { GPUDevice } from '../device/gpu-types.js';
import {
  mayDivide,
  optionsInBinding,
  type SorterOptions,
  scratchRoom,
  widthsOf,
} from './arguments/options.js';
import { Bindings } from './buffers/bindings.js';
import { DispatchSize } from './buffers/dispatch-size.js';
import type { SegmentModule } from './create-tried.js';
import type { DeviceSort } from './recording/device-sort.js';
import type { LabelledWidths } from './recording/pipelines.js';
import type { LongSorter } from './segments/segment-sort.js';
import type { Segments } from './segments/segments.js';
import { ChainedScanSort } from './sorts/chained-scan-sort.js';
import { ChunkSort } from './sorts/chunk-sort.js';
import { Indices } from './sorts/indices.js';
import { ReduceScanSort } from './sorts/reduce-scan-sort.js';
import { WorkgroupSort } from './sorts/workgroup-sort.js';
import { chainedShapes, maxInBinding, tuningOf } from './tuning/tuning.js';

export interface Parts {
  readonly widths: LabelledWidths;
  /** Most records that one binding holds. */
  readonly maxBound: number;
  readonly workgroupSort: WorkgroupSort;
  /** Present if one workgroup cannot hold `maxCount` keys. */
  readonly deviceSort: DeviceSort | undefined;
  /** Present if `maxCount` records may be more than one binding holds. */
  readonly chunkSort: ChunkSort | undefined;
  /** Present if the sorter sorts segments. */
  readonly segments: Segments | undefined;
  readonly indices: Indices;
  readonly bindings: Bindings;
  readonly dispatchSize: DispatchSize;
}

/**
 * Makes the parts and allocates their memory; compiles no kernel. `segments`: the module that sorts
 * them, if `maxSegments` is given; `makeSorter` then makes a sorter of whole arrays for long ones.
 */
export function makeParts(
  device: GPUDevice,
  options: SorterOptions,
  segments: SegmentModule | undefined,
  makeSorter: (options: SorterOptions) => LongSorter,
): Parts {
  const widths = widthsOf(optionsInBinding(device, options));
  const maxBound = maxInBinding(device, widths);
  const workgroupSort = new WorkgroupSort(device, options, widths, chainedShapes(device, widths));
  const { orderGroup } = workgroupSort;
  const indices = new Indices(device, widths, orderGroup);
  // Sorts write indices only if they are the values.
  const written = options.valueType === 'index' ? indices : undefined;
  const deviceSort =
    options.maxCount > workgroupSort.most ? makeDeviceSort(device, options, widths) : undefined;
  const chunkSort =
    deviceSort && mayDivide(device, options)
      ? new ChunkSort(device, widths, maxBound, deviceSort, written, orderGroup)
      : undefined;
  const sorts = { workgroupSort, deviceSort, chunkSort, indices: written };
  const bindings = new Bindings(device, widths, maxBound, sorts);
  const { maxSegments } = options;
  return {
    ...{ widths, maxBound, workgroupSort, deviceSort, chunkSort, indices, bindings },
    dispatchSize: new DispatchSize(device, widths, orderGroup, bindings),
    segments:
      maxSegments === undefined || segments === undefined
        ? undefined
        : new segments.Segments(device, { ...options, maxSegments }, widths, {
            ...{ workgroupSort, bindings, makeSorter },
            scratch: deviceSort?.scratch,
          }),
  };
}

/** The sort by many workgroups that suits the device. */
function makeDeviceSort(
  device: GPUDevice,
  options: SorterOptions,
  widths: LabelledWidths,
): DeviceSort {
  const inBinding = optionsInBinding(device, options);
  const shapes = chainedShapes(device, widths);
  const room = scratchRoom(device, options);
  return shapes === undefined
    ? new ReduceScanSort(device, inBinding, widths, tuningOf(device), room)
    : new ChainedScanSort(device, inBinding, widths, shapes, tuningOf(device), room);
}

/** Bytes of GPU memory that the parts hold. */
export const bytesOf = ({ workgroupSort, deviceSort, chunkSort, segments }: Parts): number =>
  [workgroupSort, deviceSort, chunkSort, segments].reduce(
    (sum, sort) => sum + (sort?.bytes ?? 0),
    0,
  );
