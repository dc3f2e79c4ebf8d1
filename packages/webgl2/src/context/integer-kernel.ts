/** What gpu.js draws with, changed to draw whole numbers. */

import type { GpuLibrary, GpuWebGL2Kernel } from './library.js';

/**
 * gpu.js's kernel for WebGL2, but it draws into textures of four unsigned integers of 32 bits, where gpu.js has as many floats. The
 * shader has to do its part, see the end of kernels/webgl2/records.glsl.
 */
export function integerKernel({ WebGL2Kernel }: GpuLibrary): GpuWebGL2Kernel {
  return class IntegerKernel extends WebGL2Kernel {
    /** Of the textures that it allocates. */
    override getInternalFormat(): number {
      return this.context.RGBA32UI;
    }

    /** gpu.js would find none for that internal format. */
    override getTextureFormat(): number {
      return this.context.RGBA_INTEGER;
    }
  };
}
