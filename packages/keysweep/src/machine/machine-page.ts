/** The machine as a page or one of its workers sees it. */

import type { Machine } from './machine.js';
import { thisRuntime } from './runtime.js';

/** Browsers report at most this many GiB, however much there is. */
const MAX_TOLD_GIB = 8;

/**
 * The share of the memory that a page may count on, a guess: system, browser and pages use the
 * rest.
 */
const OURS = 0.5;

/** Looks at the machine. */
export function thisMachine(): Machine {
  // Edge functions have no navigator, and some browsers hide what theirs knows.
  const { hardwareConcurrency, deviceMemory } = (globalThis.navigator ?? {}) as {
    readonly hardwareConcurrency?: number;
    readonly deviceMemory?: number;
  };
  const isTold = deviceMemory !== undefined && deviceMemory < MAX_TOLD_GIB;
  const free = isTold ? deviceMemory * OURS * 2 ** 30 : Number.POSITIVE_INFINITY;
  return {
    ...thisRuntime(),
    isNode: false,
    cores: hardwareConcurrency ?? 1,
    sharesMemory: typeof SharedArrayBuffer !== 'undefined',
    freeBytes: () => free,
  };
}
