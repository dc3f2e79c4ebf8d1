/** @keysweep/core: the contract, element types, key transforms, range limiter, merge, errors. */

export * from './abort.js';
export * from './clock.js';
export * from './commit.js';
export * from './contract.js';
export * from './elements.js';
export * from './errors.js';
export * from './merge.js';
export * from './next-task.js';
export * from './order-words.js';
export * from './permutation.js';
export * from './range.js';
export * from './request.js';
export * from './request-lifecycle.js';
export * from './request-queue.js';
export * from './slices.js';
export * from './transform.js';
