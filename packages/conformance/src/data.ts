/** @keysweep/conformance/data: inputs and bit comparisons for tests that are not the suite. */

export * from './arrays.js';
export * from './distributions.js';
export * from './random.js';
export * from './sample.js';
