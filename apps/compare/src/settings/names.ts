/** The displayed names of series. A name says where the data starts and ends. */

import type { SeriesId } from './settings.js';

const NAMES: Readonly<Record<SeriesId, string>> = {
  builtin: 'Built-in sort',
  cpu: 'CPU backend',
  webgpu: 'WebGPU, array to array',
  resident: 'WebGPU, already on the GPU',
  webgl2: 'WebGL2, array to array',
  auto: 'keysweep’s choice',
};

const SHORT: Readonly<Record<SeriesId, string>> = {
  builtin: 'built-in',
  cpu: 'CPU',
  webgpu: 'WebGPU',
  resident: 'on the GPU',
  webgl2: 'WebGL2',
  auto: 'keysweep’s choice',
};

/** "WebGPU, array to array"; software renderers are marked. */
export const nameOf = (series: SeriesId, software = false): string =>
  software ? `${NAMES[series]} (software, not a GPU)` : NAMES[series];

/** For labels in charts. */
export const shortNameOf = (series: SeriesId, software = false): string =>
  software ? `${SHORT[series]} (software)` : SHORT[series];
