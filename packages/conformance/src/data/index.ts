/**
 * @keysweep/conformance/data: inputs for tests, benchmarks and pages. Arrays by type, keys by
 * distribution, and the seed that repeats them.
 */

export { Random } from '@keysweep/core/random';
export * from './arrays.js';
export * from './benchmark-keys.js';
export * from './distributions.js';
export * from './sample.js';
export * from './seed.js';
