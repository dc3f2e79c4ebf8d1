/** @keysweep/conformance/verify: whether the result of a sort is right. */

export * from './asserts.js';
export * from './faults.js';
