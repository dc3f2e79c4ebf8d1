/** Where bytes come from, and where they go. */

/** Bytes that can be read in any order. */
export interface ByteSource {
  /** The name in messages, with its quotes: `'flights.parquet'`, or `standard input`. */
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  /**
   * The bytes [from, to), which lie within the source. They may be the source's own memory, so a
   * caller that writes to them reads each range once. `onRead` is told the bytes read so far.
   * @throws FileError when they cannot be read
   */
  read(
    from: number,
    to: number,
    onRead?: (completed: number) => void,
  ): Promise<Uint8Array<ArrayBuffer>>;
}

/** Takes bytes, one piece after the other. */
export interface ByteSink {
  /** Resolves when all of `bytes` are taken; the next call comes after that. */
  write(bytes: Uint8Array): Promise<void>;
  /** The same for bytes that the sink may keep, with all of the memory that they lie in. */
  give?(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
}

/** Has `sink` write bytes that nobody else needs any more. */
export const giveTo = (sink: ByteSink, bytes: Uint8Array<ArrayBuffer>): Promise<void> =>
  sink.give === undefined ? sink.write(bytes) : sink.give(bytes);

/** The part of a Blob or a File that is used here. */
export interface BlobLike {
  /** In bytes. */
  readonly size: number;
  /** The bytes [from, to). */
  slice(from: number, to: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** The bytes of a Blob, a File or the blob of a fetched response; each read copies its range. */
export function blobSource(name: string, blob: BlobLike): ByteSource {
  return {
    name,
    size: blob.size,
    read: async (from, to) => new Uint8Array(await blob.slice(from, to).arrayBuffer()),
  };
}

/** Bytes in memory; nothing is copied. */
export function bytesSource(name: string, bytes: Uint8Array<ArrayBuffer>): ByteSource {
  return {
    name,
    size: bytes.length,
    read: async (from, to) => bytes.subarray(from, to),
  };
}
