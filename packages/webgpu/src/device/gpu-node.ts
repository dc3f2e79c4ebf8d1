/**
 * Where WebGPU begins in Node: what the runtime brings itself, or Dawn out of the npm package
 * webgpu.
 */

import { constants } from 'node:os';

/**
 * Where Dawn's entry point stays: a process whose last reference to it is collected crashes, even
 * while devices live. Not a variable of this module, which may be loaded twice, or reloaded by
 * tests.
 */
const DAWN = Symbol.for('@keysweep/webgpu: dawn');

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
    const { create } = await import('webgpu');
    if (!hasVulkan()) return 'this machine has no Vulkan: there is no libvulkan.so.1';
    kept[DAWN] ??= create([]);
    return kept[DAWN];
  } catch (error) {
    return whyNot(error as NodeJS.ErrnoException);
  }
}

/**
 * Whether Dawn will find what it needs on Linux: where it does not, it complains on standard
 * error, past everybody who could be told. Elsewhere the system brings what Dawn uses.
 */
function hasVulkan(): boolean {
  if (process.platform !== 'linux') return true;
  try {
    process.dlopen({ exports: {} }, 'libvulkan.so.1', constants.dlopen.RTLD_LAZY);
  } catch (error) {
    // A library that is there is loaded, and then found to be no addon of Node's.
    return !(error as Error).message.includes('cannot open shared object file');
  }
  return true;
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ERR_MODULE_NOT_FOUND') return "the npm package 'webgpu' is not installed";
  // What lacks is named in the first line, such as a version of glibc; then come stacks.
  return `the npm package 'webgpu' does not load here: ${message.split('\n', 1)[0]}`;
}
