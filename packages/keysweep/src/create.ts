/** Makes the dispatcher of a sorter, and its controls. Loaded when the first one is wanted. */

import {
  type Backend,
  type BackendName,
  describe,
  type Probe,
  readOptions,
  type SortWarning,
} from '@keysweep/core';
import { thisMachine } from '#machine';
import { checkPlanRequest } from './call/plan-request.js';
import { provideWholeCall } from './call/telling.js';
import { WholeCall } from './call/whole-call.js';
import type { Reading } from './make-reading.js';
import type { Sorting } from './make-serving.js';
import { mismatchOf, type Profile } from './plan/profile.js';
import { defaultBackends } from './run/backends.js';
import { Dispatcher } from './run/dispatcher.js';
import type { Sorter } from './sorter.js';

/** Options of `createSorter`. */
export interface SorterOptions {
  /**
   * The backends to choose from. If two should take the same time, the earlier one is chosen.
   * Default: WebGPU, CPU, WebGL2, and the runtime's own sort. The sorter closes them.
   */
  backends?: readonly Backend[];
  /**
   * A profile that `calibrate()` has made on this machine. If it comes from another machine,
   * runtime, version or GPU, or is no profile at all, it is ignored, and `plan()` says why.
   */
  profile?: Profile | undefined;
  /**
   * Milliseconds without a sign of life after which a backend is given up and another one serves
   * the request; above 0 and below 2^31, default 15,000. A sort that is expected to take long gets
   * more: twenty times the expected duration, if that is longer.
   */
  timeout?: number;
  /** Whether 'auto' may choose a GPU that is only emulated in software. Default false. */
  allowSoftware?: boolean;
  /**
   * Called when something is lost that costs speed, such as threads, WebAssembly, or a backend that
   * failed; once for each code. Results are right all the same. The message says what was lost, and
   * the remedy. An error that the callback throws goes to `console.error`. Default: `console.warn`.
   */
  onWarning?: (warning: SortWarning) => void;
}

const OPTION_NAMES: readonly string[] = [
  'backends',
  'profile',
  'timeout',
  'allowSoftware',
  'onWarning',
];

const warnOnConsole = ({ message, code, cause }: SortWarning): void => {
  const text = `keysweep: ${message} [${code}]`;
  // Not every realm has a console.
  if (cause === undefined) globalThis.console?.warn(text);
  else globalThis.console?.warn(text, cause);
};

/** A dispatcher for a caller's options. @throws as `createSorter`. */
export function createDispatcher(given: SorterOptions): Dispatcher {
  provideWholeCall(WholeCall);
  const options = readOptions<SorterOptions>(given, OPTION_NAMES);
  const { backends = defaultBackends(), profile, timeout, allowSoftware } = options;
  const { onWarning = warnOnConsole } = options;
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
      'timeout must be a number of milliseconds from above 0 to below 2^31, got ' +
        `${describe(timeout)}`,
    );
  }
  if (allowSoftware !== undefined && typeof allowSoftware !== 'boolean') {
    throw new TypeError(`allowSoftware must be true or false, got ${describe(allowSoftware)}`);
  }
  if (typeof onWarning !== 'function') {
    throw new TypeError(
      `onWarning must be a function that takes a warning, got ${describe(onWarning)}`,
    );
  }
  const checked = checkProfile(profile);
  return new Dispatcher({ backends, timeout, allowSoftware, profile: checked, onWarning });
}

/** The profile, or why it is not used. */
function checkProfile(given: Profile | undefined): Profile | string | undefined {
  if (given === undefined) return undefined;
  const mismatch = mismatchOf(given, thisMachine());
  return mismatch === undefined ? given : `the profile that was given is not used: ${mismatch}`;
}

/** The methods of a sorter that control it. */
export function controlsOf(dispatcher: Dispatcher): Omit<Sorter, keyof Sorting | keyof Reading> {
  const { states, planner, figures } = dispatcher;
  return {
    plan(request) {
      const { shape, backend } = checkPlanRequest(request);
      return planner.plan(shape, backend);
    },
    async capabilities() {
      const found: Partial<Record<BackendName, Probe>> = {};
      for (const state of states) found[state.backend.name] = await planner.probe(state);
      return found;
    },
    async calibrate(options) {
      const { calibrate } = await import('./calibrate/calibrate.js');
      dispatcher.assertOpen();
      const counted: (typeof states)[number][] = [];
      for (const state of states)
        if (planner.counts(await planner.probe(state))) counted.push(state);
      const backends = await calibrate(counted, options);
      dispatcher.assertOpen();
      const profile = { ...figures.toProfile(), backends };
      planner.use(profile);
      return profile;
    },
    async profile() {
      return figures.toProfile();
    },
    warmUp: (maxLength) => dispatcher.warmUp(maxLength),
    release: () => dispatcher.release(),
    close: () => dispatcher.close(),
  };
}
