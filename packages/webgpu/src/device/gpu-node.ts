/**
 * WebGPU in Node: the entry point, the runtime's own or Dawn of the npm package webgpu; and what
 * transfers take.
 */

import type { TransferLimits } from './transfer-limits.js';
import { whyNoVulkan, withHardwareDrivers } from './vulkan.js';

const MIB = 2 ** 20;

/**
 * Transfers in Node: one piece of up to 256 MiB, and no more than one copy by the host each way. On
 * the host of an NVIDIA H200 the C library copies 256 MiB at once in 0.6 of the time of 64 MiB at a
 * time: from 3/4 of the cache on it writes past that. So few pieces gain nothing by being written
 * as they come. A piece up, one down and 16 MiB of smaller ones are kept.
 */
export const TRANSFER: TransferLimits = {
  pieceBytes: 256 * MIB,
  uploadBuffers: 2,
  readbackBuffers: 2,
  keepsOriginals: false,
  stagingBytes: 528 * MIB,
};

/**
 * The global symbol that keeps Dawn's entry point: when its last reference is collected, the
 * process crashes, even while devices live. A variable of this module would not do, for the module
 * may be loaded twice.
 */
const DAWN = Symbol.for('@keysweep/webgpu: dawn');

/**
 * Imports a package that may be missing. Its name is an argument, so that no bundler sees it: they
 * would fail or warn. Node then looks for it from this file's folder, or from the bundle's.
 */
const importByName = (name: string): Promise<unknown> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);

/**
 * WebGPU's entry point, or a clause that says why there is none.
 *
 * `navigator.gpu` where the runtime has it, else Dawn from the optional peer `webgpu`, loaded once
 * a thread and kept; it does not keep the process running. Defines no globals: see usage.ts. Writes
 * nothing where there is no GPU, or no driver for it.
 */
export async function findGpu(): Promise<GPU | string> {
  const kept = globalThis as { [DAWN]?: GPU };
  const found = globalThis.navigator?.gpu ?? kept[DAWN];
  if (found) return found;
  try {
    const { create } = (await importByName('webgpu')) as typeof import('webgpu');
    const reason = await whyNoVulkan();
    if (reason !== undefined) return reason;
    kept[DAWN] ??= discovered(create([]));
    return kept[DAWN];
  } catch (error) {
    return whyNot(error as NodeJS.ErrnoException);
  }
}

/** Has Dawn look for drivers: it does so in the first request for an adapter, and never again. */
function discovered(gpu: GPU): GPU {
  // Whether there is an adapter is for the caller to ask.
  withHardwareDrivers(() => gpu.requestAdapter()).catch(() => {});
  return gpu;
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_MODULE_NOT_FOUND') return "the npm package 'webgpu' is not installed";
  // The first line names the missing part, such as a version of glibc. The rest are stacks.
  return `the npm package 'webgpu' does not load here: ${message.split('\n', 1)[0]}`;
}
