/**
 * The default list of backends. Those of GPUs are loaded when they are first needed. The CPU's
 * comes with the dispatcher, because the first sort goes to it: one request for code, not two in a
 * row.
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
    lazy('webgl2', async () => (await import('@keysweep/webgl2')).webgl2()),
    builtin(),
  ];
}
