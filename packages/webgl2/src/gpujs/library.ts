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
 * Imports gpu.js by its name, which only the page's import map, or Node, can resolve. The name is
 * an argument, so that no bundler sees it: gpu.js is optional, and bundlers fail where it is
 * missing.
 */
const importByName = (name: string): Promise<object> =>
  import(/* webpackIgnore: true */ /* turbopackIgnore: true */ /* @vite-ignore */ name);

/** What gpu.js sets: `GPU`, which is WebGPU's, and the name of a package in it. */
const GLOBALS = ['GPU', 'glWiretap'] as const;

/** gpu.js by its module: see `exportsOf`. */
const LOADED = new WeakMap<object, GpuLibrary>();

/**
 * gpu.js's exports. Of a bundle they are in `default`. Its own file only sets a global, and only
 * when it is loaded for the first time.
 */
function exportsOf(module: object): GpuLibrary | undefined {
  const { default: ofBundle } = module as { default?: unknown };
  const candidates = [module, ofBundle, LOADED.get(module), (globalThis as { GPU?: unknown }).GPU];
  const library = candidates.find((found) => isLibrary(found)) as GpuLibrary | undefined;
  if (library !== undefined) LOADED.set(module, library);
  return library;
}

const isObject = (value: unknown): value is object => Object(value) === value;

const isLibrary = (found: unknown): boolean =>
  isObject(found) && 'WebGL2Kernel' in found && 'GPU' in found;

/**
 * Loads gpu.js by `load`, or by its name. Restores the globals that it sets.
 * @throws BackendUnavailableError where it cannot be loaded, or something else was.
 */
export async function loadLibrary(load: (() => Promise<object>) | undefined): Promise<GpuLibrary> {
  const before = GLOBALS.map((name) => Object.getOwnPropertyDescriptor(globalThis, name));
  let module: unknown;
  let library: GpuLibrary | undefined;
  try {
    module = await (load === undefined ? importByName('gpu.js') : load());
    library = isObject(module) ? exportsOf(module) : undefined;
  } catch (cause) {
    throw new BackendUnavailableError('webgl2', whyNot(cause, load !== undefined), { cause });
  } finally {
    if (isLibrary((globalThis as { GPU?: unknown }).GPU)) {
      for (const [i, name] of GLOBALS.entries()) restore(name, before[i]);
    }
  }
  if (library === undefined) {
    const source = load === undefined ? "the import map's 'gpu.js'" : 'what load() gave';
    throw new BackendUnavailableError('webgl2', `${source} is not gpu.js`);
  }
  return library;
}

function restore(name: string, property: PropertyDescriptor | undefined): void {
  if (property === undefined) Reflect.deleteProperty(globalThis, name);
  else Object.defineProperty(globalThis, name, property);
}

function whyNot(cause: unknown, isGiven: boolean): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  return isGiven
    ? `its load() could not load gpu.js: ${message}`
    : `gpu.js was not found (${message}): give webgl2({ load: () => import('gpu.js') }) to ` +
        "createSorter, or name 'gpu.js' in the page's import map";
}
