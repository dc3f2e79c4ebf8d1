/**
 * Imported for its effect, before a GPU is looked for: has Dawn for Node compute in software, on the
 * SwiftShader that comes with the Chromium of the browser tests. Whoever names Vulkan's drivers in the
 * environment, as for a machine with a GPU, gets these.
 */

import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { chromium } from '../../../tools/chromium.js';

/** Of dlopen(3), missing among Node's constants. */
const RTLD_NODELETE = 0x1000;

/** Keeps a shared library loaded, for Dawn, which asks by name alone, to find. */
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
  const folder = dirname(chromium().executablePath);
  pin(join(folder, 'libvulkan.so.1'));
  env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
}

/** The environment for a process of its own: what is pinned here is looked for by name there. */
export function softwareEnvironment(): NodeJS.ProcessEnv {
  const drivers = dirname((env.VK_DRIVER_FILES ?? env.VK_ICD_FILENAMES) as string);
  return { ...env, LD_LIBRARY_PATH: `${drivers}:${env.LD_LIBRARY_PATH ?? ''}` };
}
