/** @keysweep/core: the sort contract, element types, key transforms, range limiter and errors. */

export * from './abort.js';
export * from './commit.js';
export * from './contract.js';
export * from './elements.js';
export * from './errors.js';
export * from './permutation.js';
export * from './range.js';
export * from './transform.js';
