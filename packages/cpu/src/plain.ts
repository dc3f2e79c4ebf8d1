/** @keysweep/cpu/plain: the sort in plain TypeScript, without kernels to load. */

export { sortPlain } from './fallback/plain.js';
