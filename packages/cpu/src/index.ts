/** @keysweep/cpu: radix sort on the CPU, on worker threads where there are some. */

export { cpu } from './backend.js';
export type { CpuOptions } from './options.js';
