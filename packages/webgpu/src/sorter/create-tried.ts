/** Making a sorter whose kernels are compiled, and have been tried on the device. */

import type { SortWarning } from '@keysweep/core';
import { inErrorScopes } from '../device/errors.js';
import type { GPUDevice } from '../device/gpu-types.js';
import { warnOfFeatures } from './feature-warning.js';
import {
  checkDevice,
  checkOptions,
  type RadixSorterOptions,
  type SorterOptions,
  widthsOf,
} from './options.js';
import { forgetPipelines } from './pipelines.js';
import { longOptions } from './segment-sort.js';
import { tryKernels } from './trial.js';
import { chainedShapes, detectSubgroupId } from './tuning.js';
import { forgetNumbers } from './uniforms.js';

/**
 * Checks the options, tries the kernels, and resolves to the sorter that `make` makes of them. If
 * the device refuses a part of it, what was made is destroyed.
 */
export async function createTried<Sorter extends { destroy(): void }>(
  device: GPUDevice,
  options: RadixSorterOptions,
  make: (checked: SorterOptions) => Sorter,
): Promise<Sorter> {
  checkDevice(device);
  await detectSubgroupId(device);
  const checked = checkOptions(device, options);
  const { maxCount, onWarning = warnOnConsole } = checked;
  try {
    warnOfFeatures(device, onWarning);
    await tryKernels(device, checked, 0, onWarning);
    const long = longOptionsOf(device, checked);
    if (long !== undefined) await tryKernels(device, long, 0, onWarning);
  } catch (cause) {
    throw notMade(maxCount, cause as Error);
  }
  const { value, error } = await inErrorScopes(device, () => make(checked));
  if (error === undefined) return value as Sorter;
  value?.destroy();
  forgetPipelines(device);
  forgetNumbers(device);
  throw notMade(maxCount, error);
}

/**
 * The options of a sorter's sorter of long segments, if it may have any and sorts them by portable
 * kernels.
 */
export function longOptionsOf(
  device: GPUDevice,
  options: SorterOptions,
): SorterOptions | undefined {
  const widths = widthsOf(options);
  const isChained = chainedShapes(device, widths) !== undefined;
  return options.maxSegments === undefined || isChained ? undefined : longOptions(options, widths);
}

const notMade = (maxCount: number, cause: Error): Error =>
  new Error(`no RadixSorter for ${maxCount} keys: ${cause.message}`, { cause });

const warnOnConsole = ({ message, code, cause }: SortWarning): void =>
  globalThis.console?.warn(`keysweep: ${message} [${code}]`, cause);
