/** Where `node tools/install-engines.mjs` puts what it does not install in the system. */
export declare const ENGINES: string;
/** The manifest of its software GPU for Vulkan: for the environment variable VK_ICD_FILENAMES. */
export declare const LAVAPIPE: string;
/** The emulator of another processor, and the folder of its libraries and of Node. */
export declare const ARM64: { readonly qemu: string; readonly root: string };
