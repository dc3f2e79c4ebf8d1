/** A software GPU instead of this machine's: the SwiftShader that comes with Chromium. */

import { constants } from 'node:os';
import { join } from 'node:path';

/**
 * Has Vulkan find nothing but the SwiftShader of the Chromium in `folder`. Call it before Dawn is
 * loaded.
 */
export function useSoftware(folder: string): void {
  const RTLD_NODELETE = 0x1000;
  // Dawn opens the loader by its bare name, which resolves to a library that is loaded already.
  try {
    const library = join(folder, 'libvulkan.so.1');
    process.dlopen({ exports: {} }, library, constants.dlopen.RTLD_NOW | RTLD_NODELETE);
  } catch (error) {
    // The library is loaded now; it is only no addon of Node's.
    if (!(error as Error).message.includes('did not self-register')) throw error;
  }
  delete process.env.VK_DRIVER_FILES;
  process.env.VK_ICD_FILENAMES = join(folder, 'vk_swiftshader_icd.json');
}
