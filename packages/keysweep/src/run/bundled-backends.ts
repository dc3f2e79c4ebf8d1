/**
 * The default list of backends in keysweep.min.js, in the place of backends.ts. WebGL2 is left out,
 * because it needs gpu.js, which one file does not bring along.
 */

import type { Backend } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { builtin } from '../builtin/builtin.js';
import { lazy } from './lazy.js';

/** The backends of a sorter that was given none, the preferred one first. Starts nothing. */
export function defaultBackends(): Backend[] {
  return [
    lazy('webgpu', async () => (await import('@keysweep/webgpu')).webgpu()),
    cpu(),
    builtin(),
  ];
}
