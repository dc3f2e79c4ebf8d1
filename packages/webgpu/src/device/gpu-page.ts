/** WebGPU's entry point in a page, and in its workers. */

import type { findGpu as findNodesGpu } from './gpu-node.js';

/** WebGPU's entry point, or a clause that says why there is none. */
export const findGpu: typeof findNodesGpu = async () => {
  const gpu = globalThis.navigator?.gpu;
  if (gpu) return gpu;
  return globalThis.isSecureContext === false
    ? 'this page has no navigator.gpu: WebGPU needs a secure context (https or localhost)'
    : 'this browser has no navigator.gpu: it is too old for WebGPU, or has it turned off';
};
