/**
 * Imported for its effect, before a GPU is looked for. Dawn for Node then computes in software, on
 * the SwiftShader that comes with the Chromium of the browser tests, unless the environment names
 * Vulkan's drivers: those of a machine with a GPU.
 */

import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { create } from 'webgpu';
import { chromiumFolder, DAWN_OPTIONS } from '../../../tools/chromium.js';

/** Of dlopen(3), missing among Node's constants. */
const RTLD_NODELETE = 0x1000;

/** Keeps a shared library loaded, so that Dawn finds it by its name alone. */
function pin(library: string): void {
  try {
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  } catch (error) {
    // Loaded, but no addon of Node's.
    if (!(error as Error).message.includes('did not self-register')) throw error;
  }
}

const { env } = process;
if (env.VK_DRIVER_FILES === undefined && env.VK_ICD_FILENAMES === undefined) {
  // A thread has a copy of the environment, where Vulkan does not look.
  if (!isMainThread) throw new Error("software-gpu.ts needs a process: vitest's pool 'forks'");
  const folder = chromiumFolder();
  pin(join(folder, 'libvulkan.so.1'));
  env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
  // Where findGpu() keeps what it has made.
  const kept = globalThis as { [place: symbol]: GPU | undefined };
  kept[Symbol.for('@keysweep/webgpu: dawn')] ??= create([...DAWN_OPTIONS]);
  askDawnLessOften();
}

/**
 * Dawn for Node looks in every turn of the event loop whether the GPU is done. This GPU is the CPU,
 * and would spend a third of its time on being looked at: once a millisecond is enough.
 */
function askDawnLessOften(): void {
  const { setImmediate: soon, setTimeout: later } = globalThis;
  // A function that is not written in JavaScript can be a constructor only if it is an addon's.
  const isOfAddon = (callback: object): boolean =>
    'prototype' in callback && String(callback).endsWith('{ [native code] }');
  const ask = (callback: () => void, ...args: []): unknown =>
    isOfAddon(callback) ? later(callback, 1, ...args) : soon(callback, ...args);
  globalThis.setImmediate = Object.assign(ask, soon) as typeof setImmediate;
}

/** The environment for another process, which looks up by name what is pinned here. */
export function softwareEnvironment(): NodeJS.ProcessEnv {
  const drivers = dirname((env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES) as string);
  return { ...env, LD_LIBRARY_PATH: `${drivers}:${env.LD_LIBRARY_PATH ?? ''}` };
}
