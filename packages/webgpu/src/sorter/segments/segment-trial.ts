/**
 * Tries the kernels that sort segments on devices with subgroups, before any of their results is
 * believed. They rely on the same as the kernels for whole arrays: see trial.ts. If the result is
 * wrong, sorters that are made on the device from then on sort segments by portable kernels.
 */

import { keyTraits, type SortWarning } from '@keysweep/core';
import { addShaders, shortOf, singleOf, type Widths } from '@keysweep/kernels/wgsl';
import { WGSL_SEGMENTS } from '@keysweep/kernels/wgsl-segments';
import type { GPUDevice } from '../../device/gpu-types.js';
import { BufferUsage } from '../../device/usage.js';
import { type SorterOptions, widthsOf } from '../arguments/options.js';
import { Bindings } from '../buffers/bindings.js';
import { makeBuffer, type RecordBuffers, type RecordedSort } from '../recording/device-sort.js';
import { WorkgroupSort } from '../sorts/workgroup-sort.js';
import { faultOf, trialType, tryKernels, tryOnce } from '../trial/trial.js';
import { maxInBinding, type Shapes, segmentShapes, setTuning, tuningOf } from '../tuning/tuning.js';
import { longOptions } from './segment-sort.js';
import { SubgroupSegmentSort, segmentShape } from './subgroup-segment-sort.js';

/**
 * Tries the kernels that sort segments, unless that was done on `device` before. If they are wrong
 * it calls `warn`, and sorters made from then on do without them.
 * @throws OutOfMemoryError; an Error if the device is lost. The next call tries again.
 */
export async function trySegments(
  device: GPUDevice,
  options: SorterOptions,
  warn: (warning: SortWarning) => void,
): Promise<void> {
  addShaders(WGSL_SEGMENTS);
  const widths = widthsOf({ ...options, label: undefined });
  const shapes = segmentShapes(device, widths);
  if (shapes !== undefined) {
    const keyType = trialType(options);
    const keyBits = options.keyBits && { begin: 0, end: keyTraits(keyType).bits };
    const { one, many } = shapes;
    const kernels = JSON.stringify([keyType, widths.valueWords, 'segments', keyBits, one, many]);
    const lengths = lengthsFor(shapes, { ...options, keyBits }, widths);
    const fault = (): Promise<Error | undefined> =>
      faultOfSegments(device, { keyType, keyBits }, widths, shapes, lengths);
    await tryOnce(device, kernels, fault, (cause) => {
      setTuning(device, { ...tuningOf(device), hasPortableSegments: true });
      warn({
        code: 'gpu-not-trusted',
        message:
          `the GPU's fast kernels for segments failed a trial: ${cause.message}. The portable ` +
          'ones sort segments, which take longer. A newer driver or browser may help.',
        cause,
      });
    });
  }
  if (segmentShapes(device, widths) !== undefined) return;
  // Portable kernels sort long segments by the sort of whole arrays.
  const long = longOptions(options, widths);
  if (long !== undefined) await tryKernels(device, long, 0, warn);
}

/** Segments for each of the kernels: short ones by many and by one, middle ones, long ones. */
function lengthsFor(shapes: Shapes, options: SorterOptions, widths: Widths): number[] {
  const { subgroup } = shapes.one;
  const shape = segmentShape(shapes, options, widths);
  const short = shortOf(shape, subgroup);
  const single = singleOf(shape, subgroup);
  const tile = shapes.many.threads * shapes.many.keys;
  const even = Array.from({ length: 40 }, (_, i) => 9 + ((5 * i) % 8));
  // Whichever of them a window begins with: too few slots for as many each as the longest needs.
  const uneven = Array.from({ length: 6 }, (_, i) => [
    ...[0, 1, 2, i, 3, Math.ceil(0.6 * short), 0, 5, short - 2 - i],
  ]).flat();
  const longer = [short + 1, single, single + 1, shape.fewerKeys - 3, tile - 5];
  return [...even, ...uneven, ...longer, Math.ceil(1.5 * tile), 4, 2 * tile + 1];
}

/** What is wrong with a sort of segments of `lengths`; undefined if nothing is. */
function faultOfSegments(
  device: GPUDevice,
  order: Pick<SorterOptions, 'keyType' | 'keyBits'>,
  widths: Widths,
  shapes: Shapes,
  lengths: readonly number[],
): Promise<Error | undefined> {
  const places = [0];
  for (const length of lengths) places.push((places.at(-1) as number) + length);
  const maxCount = places.at(-1) as number;
  const makeSort = (): Pick<RecordedSort<RecordBuffers>, 'bind' | 'record' | 'destroy'> => {
    const options = { ...order, maxCount, maxSegments: lengths.length };
    const workgroupSort = new WorkgroupSort(device, options, widths, shapes);
    const none = { deviceSort: undefined, chunkSort: undefined, indices: undefined };
    const sorts = { workgroupSort, ...none };
    const bindings = new Bindings(device, widths, maxInBinding(device, widths), sorts);
    const sort = new SubgroupSegmentSort(
      device,
      options,
      widths,
      shapes,
      tuningOf(device),
      workgroupSort,
      bindings,
      undefined,
    );
    const { STORAGE, COPY_DST } = BufferUsage;
    const buffer = makeBuffer(device, 'keysweep trial', 4 * places.length, STORAGE | COPY_DST);
    device.queue.writeBuffer(buffer, 0, Uint32Array.from(places));
    return {
      bind: (records) => records,
      record: (pass, [keys, values]) => {
        const segments = { buffer, count: lengths.length };
        sort.record(pass, { keys: keys?.buffer as never, values: values?.buffer, segments });
      },
      destroy: () => {
        for (const made of [sort, workgroupSort, buffer]) made.destroy();
      },
    };
  };
  return faultOf(device, widths, maxCount, makeSort, places.slice(1));
}
