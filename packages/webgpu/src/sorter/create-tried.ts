/** Making a sorter whose kernels are compiled, and have been tried on the device. */

import type { SortWarning } from '@keysweep/core';
import { inErrorScopes } from '../device/errors.js';
import type { GPUDevice } from '../device/gpu-types.js';
import {
  checkDevice,
  checkOptions,
  type RadixSorterOptions,
  type SorterOptions,
} from './arguments/options.js';
import { forgetPipelines } from './recording/pipelines.js';
import { forgetNumbers } from './recording/uniforms.js';
import { tryKernels } from './trial/trial.js';
import { warnOfFeatures } from './tuning/feature-warning.js';
import { detectSubgroupId } from './tuning/tuning.js';

/** What sorts segments: a chunk of its own, which only sorters of segments load. */
export type SegmentModule = typeof import('./segments/segments.js');

/**
 * Checks the options, tries the kernels, and resolves to the sorter that `make` makes of them. If
 * the device refuses a part of it, what was made is destroyed.
 */
export async function createTried<Sorter extends { destroy(): void }>(
  device: GPUDevice,
  options: RadixSorterOptions,
  make: (checked: SorterOptions, segments: SegmentModule | undefined) => Sorter,
): Promise<Sorter> {
  checkDevice(device);
  await detectSubgroupId(device);
  const checked = checkOptions(device, options);
  const { maxCount, maxSegments, onWarning = warnOnConsole } = checked;
  const segments = maxSegments === undefined ? undefined : await import('./segments/segments.js');
  try {
    warnOfFeatures(device, onWarning);
    await tryKernels(device, checked, 0, onWarning);
    if (segments !== undefined) await segments.trySegments(device, checked, onWarning);
  } catch (cause) {
    throw notMade(maxCount, cause as Error);
  }
  const { value, error } = await inErrorScopes(device, () => make(checked, segments));
  if (error === undefined) return value as Sorter;
  value?.destroy();
  forgetPipelines(device);
  forgetNumbers(device);
  throw notMade(maxCount, error);
}

const notMade = (maxCount: number, cause: Error): Error =>
  new Error(`no RadixSorter for ${maxCount} keys: ${cause.message}`, { cause });

const warnOnConsole = ({ message, code, cause }: SortWarning): void =>
  globalThis.console?.warn(`keysweep: ${message} [${code}]`, cause);
