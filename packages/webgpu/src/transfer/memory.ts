/** How much memory a backend keeps, and in what pieces data comes and goes. */

const MIB = 2 ** 20;

/** In bytes, but for `uploadBuffers`. */
export interface Memory {
  /** GPU memory that an idle backend keeps at most: both halves of 2^26 keys of 32 bits, which take 20 ms to allocate. */
  readonly pooledBytes: number;
  /**
   * The host's memory, for transfers, that it keeps at most: four pieces of uploads, 256 MiB of results, and a piece's worth of
   * smaller ones.
   */
  readonly stagingBytes: number;
  /**
   * What is copied at a time on the way to the GPU and back: a power of two. Of 1, 4, 8 and 16 MiB the fastest in both
   * directions on an NVIDIA H200.
   */
  readonly pieceBytes: number;
  /** Buffers that take turns in an upload. In Node two do as well as four; a browser copies everything once more. */
  readonly uploadBuffers: number;
  /**
   * Uploads of fewer bytes go by `writeBuffer`: as fast at 1 MiB, three times slower at 4 MiB, on an NVIDIA H200.
   */
  readonly stagedFrom: number;
}

export const MEMORY: Memory = {
  pooledBytes: 640 * MIB,
  stagingBytes: 336 * MIB,
  pieceBytes: 16 * MIB,
  uploadBuffers: 4,
  stagedFrom: 2 * MIB,
};
