/**
 * @keysweep/conformance/suite: the checks of every backend as data, without a test runner, for
 * programs that run them elsewhere, such as on a machine with a GPU.
 */

import type { Check } from './check.js';
import { CONDUCT_CHECKS } from './conduct/index.js';
import { ORDER_CHECKS } from './order/index.js';

export { type Check, type Effort, runCheck, type Subject } from './check.js';
export { verifyBoundaries } from './order/boundaries.js';
export * from './request/pairs.js';
export { makeRequest, type Variation } from './request/request.js';
export { serve, verifyAll, verifyArgsort } from './request/verify.js';
export { type SorterLike, sorterAsBackend } from './sorter.js';

/** All checks: of what order a backend makes, and of how it behaves. */
export const CHECKS: readonly Check[] = [...ORDER_CHECKS, ...CONDUCT_CHECKS];
