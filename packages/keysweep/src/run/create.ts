/** Makes sorters: checks what callers say of them. Loaded when the first is wanted. */

import type { Backend } from '@keysweep/core';
import { thisMachine } from '#machine';
import { misfitOf, type Profile } from '../plan/profile.js';
import { describe } from '../request/describe.js';
import type { Sorter } from '../sorter.js';
import { defaultBackends } from './backends.js';
import { type Dispatcher, makeDispatcher } from './dispatcher.js';

/** Options of `createSorter`. */
export interface SorterOptions {
  /** The backends to choose from, preferred ones first. Default: all that this version has. */
  backends?: readonly Backend[];
  /**
   * What `calibrate()` found on this machine. One of another machine, runtime or version, or that is no profile at all,
   * is ignored; `plan()` says why.
   */
  profile?: Profile | undefined;
  /**
   * Milliseconds, default 15,000: a backend that shows no sign of life for so long, nor for twenty times what a
   * sort was expected to take, is given up, and another takes over.
   */
  timeout?: number;
  /** Whether a GPU that is computed in software counts as one. Default false. */
  allowSoftware?: boolean;
}

const OPTION_NAMES: readonly string[] = ['backends', 'profile', 'timeout', 'allowSoftware'];

/** The dispatcher of those who do not make a sorter of their own. */
export const createDefault = (): Dispatcher => makeDispatcher({ backends: defaultBackends() });

/** See `createSorter`. */
export function create(options: SorterOptions): Sorter {
  const names = OPTION_NAMES.join(', ');
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`options must be an object { ${names} }, got ${describe(options)}`);
  }
  for (const name in options) {
    if (OPTION_NAMES.includes(name)) continue;
    throw new TypeError(`createSorter has no option '${name}', only ${names}`);
  }
  const { backends = defaultBackends(), profile, timeout, allowSoftware } = options;
  if (!Array.isArray(backends) || backends.length === 0) {
    throw new TypeError(
      `backends must be a list of at least one backend, got ${describe(backends)}`,
    );
  }
  for (const backend of backends) {
    if (typeof backend?.sort === 'function' && typeof backend.probe === 'function') continue;
    throw new TypeError(
      `backends must hold backends, as cpu() and builtin() make them, got ${describe(backend)}`,
    );
  }
  if (timeout !== undefined && !(Number.isFinite(timeout) && timeout > 0 && timeout < 2 ** 31)) {
    throw new RangeError(
      `timeout must be a number of milliseconds from above 0 to below 2^31, got ${describe(timeout)}`,
    );
  }
  if (allowSoftware !== undefined && typeof allowSoftware !== 'boolean') {
    throw new TypeError(`allowSoftware must be true or false, got ${describe(allowSoftware)}`);
  }
  return makeDispatcher({ backends, timeout, allowSoftware, profile: checked(profile) }).sorter;
}

/** The profile, or why it is not used. */
function checked(given: Profile | undefined): Profile | string | undefined {
  if (given === undefined) return undefined;
  const misfit = misfitOf(given, thisMachine());
  return misfit === undefined ? given : `the profile that was given is not used: ${misfit}`;
}
