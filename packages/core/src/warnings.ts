/** Warnings that more than one package gives. */

import type { SortWarning } from './contract.js';

/** The warning of a place that does without WebAssembly; `reason` says why. */
export const noWebAssembly = (reason: string): SortWarning => ({
  code: 'no-webassembly',
  message:
    `keysweep sorts in plain TypeScript: ${reason}. ` +
    "If a policy forbids WebAssembly, add 'wasm-unsafe-eval' to its script-src; otherwise use a " +
    'runtime that has WebAssembly with threads and SIMD.',
});
