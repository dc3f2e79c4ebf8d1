/** Warnings that more than one package gives. */

import type { SortWarning } from './contract.js';
import { isInPage } from './realm.js';

/** The warning of a place that does without WebAssembly; `reason` says why. */
export const noWebAssembly = (reason: string): SortWarning => ({
  code: 'no-webassembly',
  message:
    `keysweep sorts in plain TypeScript: ${reason}. ` +
    (isInPage()
      ? "If a policy forbids WebAssembly, add 'wasm-unsafe-eval' to its script-src, else use a "
      : 'There is nothing to set here, unless a flag has turned WebAssembly off; kernels need a ') +
    'runtime that compiles WebAssembly, with threads and SIMD.',
});
