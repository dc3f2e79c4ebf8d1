/**
 * WebGPU in Node: the entry point, the runtime's own or Dawn of the npm package webgpu; and what
 * transfers take.
 */

import { constants } from 'node:os';
import type { TransferLimits } from './transfer-limits.js';

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
 * a thread and kept; it does not keep the process running. Defines no globals: see usage.ts. A
 * machine without a driver is not noticed here, for there `requestAdapter()` resolves to null.
 */
export async function findGpu(): Promise<GPU | string> {
  const kept = globalThis as { [DAWN]?: GPU };
  const found = globalThis.navigator?.gpu ?? kept[DAWN];
  if (found) return found;
  try {
    const { create } = (await importByName('webgpu')) as typeof import('webgpu');
    if (!hasVulkan()) return 'this machine has no Vulkan: there is no libvulkan.so.1';
    kept[DAWN] ??= create([]);
    return kept[DAWN];
  } catch (error) {
    return whyNot(error as NodeJS.ErrnoException);
  }
}

/**
 * Whether Dawn will find Vulkan on Linux. Where it does not, it writes to standard error, which no
 * caller can catch. On other systems Dawn uses what the system has.
 */
function hasVulkan(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    process.dlopen({ exports: {} }, 'libvulkan.so.1', constants.dlopen.RTLD_LAZY);
  } catch (error) {
    // Another error: the library was found, but it is no addon of Node's.
    return !(error as Error).message.includes('cannot open shared object file');
  }
  return true;
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_MODULE_NOT_FOUND') return "the npm package 'webgpu' is not installed";
  // The first line names what is missing, such as a version of glibc. The rest are stacks.
  return `the npm package 'webgpu' does not load here: ${message.split('\n', 1)[0]}`;
}
