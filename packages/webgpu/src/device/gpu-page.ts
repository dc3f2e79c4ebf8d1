/** WebGPU in a page, and in its workers: the entry point, and what transfers take. */

import { isInPage } from '@keysweep/core';
import type { findGpu as findNodesGpu } from './gpu-node.js';
import type { TransferLimits } from './transfer-limits.js';

const MIB = 2 ** 20;

/**
 * Transfers in a page: small pieces, so that its thread is not busy for long; four buffers, as a
 * browser copies everything once more, while the page writes results. With pieces of 16 or 32 MiB
 * 2^26 keys take 5 to 8 % longer in Chromium, beside an NVIDIA H200. What is kept: 256 MiB of
 * pieces up, four pieces down and 16 MiB of smaller ones.
 */
export const TRANSFER: TransferLimits = {
  pieceBytes: 8 * MIB,
  uploadBuffers: 4,
  readbackBuffers: 4,
  keepsOriginals: true,
  stagingBytes: 304 * MIB,
};

/** WebGPU's entry point, or a clause that says why there is none. */
export const findGpu: typeof findNodesGpu = async () => {
  const gpu = globalThis.navigator?.gpu;
  if (gpu) return gpu;
  if (!isInPage()) return 'this runtime has no navigator.gpu';
  return globalThis.isSecureContext === false
    ? 'this page has no navigator.gpu: WebGPU needs a secure context (https or localhost)'
    : 'this browser has no WebGPU on this system, or it is turned off';
};
