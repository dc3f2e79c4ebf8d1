/** What each platform says of copies to a GPU and back. */

/**
 * In what pieces data comes and goes, and how much of the host's memory is kept for that. In bytes,
 * but for the numbers of buffers. See gpu-node.ts and gpu-page.ts.
 */
export interface TransferLimits {
  /** What is copied at a time on the way to the GPU and back: a power of two, up to 2^28. */
  readonly pieceBytes: number;
  /** Buffers that take turns in an upload. If they keep originals, each piece has its own. */
  readonly uploadBuffers: number;
  /**
   * Buffers that take turns in a readback, where pieces are written as they come. Where they are
   * not, there are as many as pieces.
   */
  readonly readbackBuffers: number;
  /**
   * Whether the buffers of an upload keep what they brought, where the result overwrites it. Then
   * pieces are written as they come, for they can be put back.
   */
  readonly keepsOriginals: boolean;
  /** The host's memory for transfers that an idle backend keeps at most. */
  readonly stagingBytes: number;
}
