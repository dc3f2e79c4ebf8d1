/** Where `node tools/install/engines.mjs` puts what it does not install in the system. */
export declare const ENGINES: string;
/** The environment of a program that is to find the software GPU for Vulkan, and no other. */
export declare const ON_LAVAPIPE: {
  readonly VK_ICD_FILENAMES: string;
  readonly LD_LIBRARY_PATH: string;
  readonly MESA_SHADER_CACHE_DIR: string;
};
/** The emulator of another processor, and the folder of its libraries and of Node. */
export declare const ARM64: { readonly qemu: string; readonly root: string };
