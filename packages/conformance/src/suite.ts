/**
 * @keysweep/conformance/suite: the suite of every backend without a test runner, and its checks as
 * data.
 */

export {
  type BackendReport,
  type BackendTest,
  type BackendTests,
  type BackendUnderTest,
  backendTests,
  testBackend,
} from './backend-tests.js';
export { type Check, type Effort, runCheck, type Subject } from './check.js';
export { CHECKS } from './checks.js';
export { verifyBoundaries } from './order/boundaries.js';
export * from './request/pairs.js';
export { makeRequest, type Variation } from './request/request.js';
export { serve, verifyAll, verifyArgsort } from './request/verify.js';
export { type SorterLike, sorterAsBackend } from './sorter.js';
