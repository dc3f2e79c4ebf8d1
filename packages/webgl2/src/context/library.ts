/**
 * Loading gpu.js, and its types as far as they are used here: its own leave out what kernels hold.
 */

import { BackendUnavailableError } from '@keysweep/core';

/** A texture that gpu.js reads as an argument of a kernel. */
export interface GpuTexture {
  readonly texture: WebGLTexture;
  readonly size: Int32Array;
}

/** What gpu.js makes of a function: a call draws. */
export interface GpuKernel {
  // biome-ignore lint/suspicious/noExplicitAny: the kernel's text decides.
  (...args: any[]): any;
  setOutput(output: readonly number[]): unknown;
  /**
   * The kernel that does the work. gpu.js replaces it without notice, by one on the CPU for
   * example.
   */
  readonly kernel: {
    readonly constructor: unknown;
    readonly context: WebGL2RenderingContext;
    readonly framebuffer: WebGLFramebuffer;
    readonly texture: GpuTexture;
    readonly mappedTextures: readonly GpuTexture[] | null;
  };
}

/** Its class of kernels for WebGL2. */
export interface GpuWebGL2Kernel {
  new (
    ...args: never[]
  ): {
    readonly context: WebGL2RenderingContext;
    getInternalFormat(): number;
    getTextureFormat(): number;
  };
  readonly isSupported: boolean;
  readonly testContext: WebGL2RenderingContext | null | undefined;
}

/** An instance of gpu.js, with the kernels on one context. */
export interface GpuInstance {
  /** The class of the kernels that it creates. */
  Kernel: unknown;
  createKernel(source: string, settings: object): GpuKernel;
}

/** What the module gpu.js exports. */
export interface GpuLibrary {
  readonly GPU: new (settings: object) => GpuInstance;
  readonly Texture: new (settings: object) => GpuTexture;
  readonly WebGL2Kernel: GpuWebGL2Kernel;
}

/**
 * Imports gpu.js. The import is in a try, so that bundlers that do not find gpu.js leave the import
 * to the browser instead of failing.
 */
export async function importLibrary(): Promise<object> {
  try {
    return await import('gpu.js');
  } catch (cause) {
    throw new Error(`import('gpu.js') gave ${String(cause)}`, { cause });
  }
}

/** gpu.js's exports: of a bundle they are in `default`; its own file only sets a global. */
function exportsOf(module: object, global: unknown): GpuLibrary | undefined {
  const candidates = [module, (module as { default?: unknown }).default, global];
  return candidates.find((found) => isLibrary(found)) as GpuLibrary | undefined;
}

const isLibrary = (found: unknown): boolean =>
  (typeof found === 'function' || typeof found === 'object') &&
  found !== null &&
  'WebGL2Kernel' in found &&
  'GPU' in found;

/**
 * Loads gpu.js by `load`, and restores the global `GPU` afterwards: it is WebGPU's, and gpu.js
 * overwrites it.
 * @throws BackendUnavailableError where `load` rejects, or loads something else.
 */
export async function loadLibrary(load: () => Promise<object>): Promise<GpuLibrary> {
  const before = Object.getOwnPropertyDescriptor(globalThis, 'GPU');
  let found: GpuLibrary | undefined;
  try {
    found = exportsOf(await load(), (globalThis as { GPU?: unknown }).GPU);
  } catch (cause) {
    const reason = `the npm package gpu.js could not be loaded: ${(cause as Error).message}`;
    throw new BackendUnavailableError('webgl2', reason, { cause });
  } finally {
    if (before === undefined) Reflect.deleteProperty(globalThis, 'GPU');
    else Object.defineProperty(globalThis, 'GPU', before);
  }
  if (found === undefined) {
    throw new BackendUnavailableError('webgl2', 'what was loaded as gpu.js is something else');
  }
  return found;
}
