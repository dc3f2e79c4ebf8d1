/** @keysweep/core: the contract, element types, key transforms, range limiter, merge, errors. */

export * from './contract.js';
export * from './elements.js';
export * from './errors.js';
export * from './global-types.js';
export * from './intrinsics.js';
export * from './keys/order-words.js';
export * from './keys/range.js';
export * from './keys/transform.js';
export * from './merge.js';
export * from './permutation.js';
export * from './request/commit.js';
export * from './request/describe.js';
export * from './request/in-turn.js';
export * from './request/interruption.js';
export * from './request/next-task.js';
export * from './request/options.js';
export * from './request/pauses.js';
export * from './request/plain-request.js';
export * from './request/request-lifecycle.js';
export * from './request/request-queue.js';
export * from './request/slices.js';
export * from './request/time.js';
export * from './request/turns.js';
export * from './warnings.js';
