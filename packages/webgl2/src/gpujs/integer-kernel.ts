/** gpu.js's class of kernels, changed to draw whole numbers. */

import type { GpuLibrary, GpuWebGL2Kernel } from './library.js';

/**
 * A subclass of gpu.js's kernel for WebGL2 that draws into textures of four unsigned 32-bit
 * integers, where gpu.js has four floats. The shader's part is at the end of
 * kernels/webgl2/records.glsl.
 */
export function integerKernel({ WebGL2Kernel }: GpuLibrary): GpuWebGL2Kernel {
  return class IntegerKernel extends WebGL2Kernel {
    /** The format of the textures that it allocates. */
    override getInternalFormat(): number {
      return this.context.RGBA32UI;
    }

    /** gpu.js knows no format that goes with that internal one. */
    override getTextureFormat(): number {
      return this.context.RGBA_INTEGER;
    }
  };
}
