/** gpu.js, as far as it is used here: its types leave out what a kernel holds. */

import { BackendUnavailableError } from '@keysweep/core';

/** A texture that gpu.js reads as an argument of a kernel. */
export interface GpuTexture {
  readonly texture: WebGLTexture;
  readonly size: Int32Array;
}

/** What gpu.js makes of a function: called, it draws. */
export interface GpuKernel {
  // biome-ignore lint/suspicious/noExplicitAny: as the kernel's text has it.
  (...args: any[]): any;
  setOutput(output: readonly number[]): unknown;
  /** The kernel that does the work; gpu.js puts another one in its place where it thinks that it has to. */
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

/** gpu.js. In a try, so that bundlers that don't find it leave it to the browser not to find it. */
export async function importLibrary(): Promise<object> {
  try {
    return await import('gpu.js');
  } catch (cause) {
    throw new Error(`import('gpu.js') gave ${String(cause)}`, { cause });
  }
}

/** The module's exports: under bundlers `default`, of its file as it is nothing, but a global. */
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
 * What `load` loads, with the globals afterwards as they were: gpu.js puts itself in the place of `GPU`, which is WebGPU's.
 * @throws BackendUnavailableError
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
