/** The default list of backends. Each is loaded when it is first needed. */

import type { Backend } from '@keysweep/core';
import { builtin } from './builtin.js';
import { lazy } from './lazy.js';

/** The backends of a sorter that was given none, the preferred one first. Starts nothing. */
export function defaultBackends(): Backend[] {
  return [
    lazy('webgpu', async () => (await import('@keysweep/webgpu')).webgpu()),
    lazy('cpu', async () => (await import('@keysweep/cpu')).cpu(), { isCpu: true }),
    lazy('webgl2', async () => (await import('@keysweep/webgl2')).webgl2()),
    builtin(),
  ];
}
