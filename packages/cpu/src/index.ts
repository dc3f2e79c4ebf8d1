/** @keysweep/cpu: radix sort on the CPU, on worker threads where there are some. */

export { type CpuOptions, cpu } from './backend.js';
