/**
 * @keysweep/conformance/suite: the checks of every backend as data, without a test runner, for
 * programs that run them elsewhere: on a machine with a GPU, say.
 */

import type { Check } from './checks.js';
import { CONDUCT_CHECKS } from './conduct-checks.js';
import { INTERRUPTION_CHECKS } from './interruption-checks.js';
import { ORDER_CHECKS } from './order-checks.js';
import { VIEW_CHECKS } from './view-checks.js';

export { verifyBoundaries } from './boundaries.js';
export { type Check, runCheck, type Subject } from './checks.js';
export * from './request/pairs.js';
export { makeRequest, type Variation } from './request/request.js';
export { verifyAll, verifyArgsort } from './request/verify.js';

/** All checks, as data. */
export const CHECKS: readonly Check[] = [
  ...ORDER_CHECKS,
  ...VIEW_CHECKS,
  ...INTERRUPTION_CHECKS,
  ...CONDUCT_CHECKS,
];
