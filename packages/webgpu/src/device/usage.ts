/** Flags, as the WebGPU specification numbers them: Dawn for Node defines no globals for them. */

/** Flags of `GPUBufferUsage`. */
export const BufferUsage = {
  MAP_READ: 0x1,
  MAP_WRITE: 0x2,
  COPY_SRC: 0x4,
  COPY_DST: 0x8,
  UNIFORM: 0x40,
  STORAGE: 0x80,
  INDIRECT: 0x100,
  QUERY_RESOLVE: 0x200,
} as const;

/** Flags of `GPUMapMode`. */
export const MapMode = { READ: 0x1, WRITE: 0x2 } as const;

/** Flags of `GPUShaderStage`. */
export const ShaderStage = { COMPUTE: 0x4 } as const;
