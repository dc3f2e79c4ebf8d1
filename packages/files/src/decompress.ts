/** Decompresses parts of files, whose memory is counted first. */

import type { ColumnMetaData } from 'hyparquet';
import type { Account } from './memory.js';
import { decompressSnappy } from './snappy.js';

/** The compression of a chunk of Parquet; that of Arrow is the same ZSTD. */
export type Codec = ColumnMetaData['codec'];

/**
 * Others than Snappy, once a file has asked for one. They are large, and most files have Snappy.
 */
let others: typeof import('./other-codecs.js')['compressors'] | undefined;

/** Loads what decompresses these, for calls of `decompress` that follow. */
export async function loadCodecs(codecs: readonly Codec[]): Promise<void> {
  if (codecs.every((codec) => codec === 'SNAPPY' || codec === 'UNCOMPRESSED')) return;
  others ??= (await import('./other-codecs.js')).compressors;
}

/**
 * `bytes` without their compression, which are `size` bytes if the file is right.
 * @throws MemoryError before too much memory is taken; Error for a codec that nobody has loaded
 */
export function decompress(
  codec: Codec,
  bytes: Uint8Array,
  size: number,
  part: Account,
): Uint8Array {
  const decompressor = codec === 'SNAPPY' ? decompressSnappy : others?.[codec];
  if (decompressor === undefined) {
    throw new Error(`the compression ${codec ?? 'of no name'} cannot be read`);
  }
  part.take(workOf(codec, bytes, size));
  return decompressor(bytes, size);
}

/** The window of Brotli at its largest, and a last block that its decoder makes room for. */
export const BROTLI_WORK: number = 2 ** 25;

/** Bytes that the decompressor allocates. */
function workOf(codec: Codec, bytes: Uint8Array, size: number): number {
  switch (codec) {
    case 'SNAPPY':
      // Its WebAssembly has a copy of the input and of the output.
      return bytes.length + 2 * size;
    case 'BROTLI':
      return size + BROTLI_WORK;
    case 'ZSTD':
      return workOfZstd(bytes);
    default:
      return size;
  }
}

const tooShort = (): Error => new Error('compressed bytes end in the middle of a block');

/** The most bytes that a block of ZSTD becomes, but for repeated and plain ones. */
const ZSTD_BLOCK = 2 ** 17;

/**
 * Bytes that the decompressor of ZSTD allocates: it makes room for what a frame says that it holds,
 * or else for the window that it says it needs and for its blocks.
 * https://www.rfc-editor.org/rfc/rfc8878
 */
function workOfZstd(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let work = 0;
  let made = 0;
  for (let at = 0; at < bytes.length; ) {
    if (at + 8 > bytes.length) throw tooShort();
    const mark = view.getUint32(at, true);
    if (mark >>> 4 === 0x184d2a5) {
      at += 8 + view.getUint32(at + 4, true);
      continue;
    }
    if (mark !== 0xfd2fb528) throw new Error('compressed bytes are no ZSTD');
    const { window, content, start, hasChecksum } = frameOf(view, at + 4);
    const { end, size } = blocksOf(view, start);
    at = end + (hasChecksum ? 4 : 0);
    work += content > 0 ? content : window + size;
    made += content > 0 ? content : size;
  }
  // Several blocks, or frames, are copied to one piece.
  return work + made;
}

/** What the header of a frame says, which begins at `at`. */
function frameOf(
  view: DataView,
  at: number,
): { window: number; content: number; start: number; hasChecksum: boolean } {
  const descriptor = view.getUint8(at);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = descriptor >> 6 === 0 ? Number(isSingle) : 1 << (descriptor >> 6);
  const windowAt = at + 1;
  // The number of a dictionary has 0, 1, 2 or 4 bytes.
  const sizeAt = windowAt + (isSingle ? 0 : 1) + ((1 << (descriptor & 3)) >> 1);
  const start = sizeAt + sizeBytes;
  if (start > view.byteLength) throw tooShort();
  let content = sizeBytes === 2 ? 256 : 0;
  for (let i = 0; i < sizeBytes; i++) content += view.getUint8(sizeAt + i) * 2 ** (8 * i);
  const code = view.getUint8(windowAt);
  const base = 2 ** (10 + (code >> 3));
  const window = isSingle ? content : base + (base / 8) * (code & 7);
  return { window, content, start, hasChecksum: (descriptor & 4) !== 0 };
}

/** Where the blocks from `at` on end, and the most bytes that they become. */
function blocksOf(view: DataView, start: number): { end: number; size: number } {
  let size = 0;
  let isLast = false;
  let at = start;
  while (!isLast) {
    if (at + 3 > view.byteLength) throw tooShort();
    const header = view.getUint16(at, true) + view.getUint8(at + 2) * 2 ** 16;
    const [type, length] = [(header >> 1) & 3, header >> 3];
    isLast = (header & 1) === 1;
    size += type === 2 ? ZSTD_BLOCK : length;
    at += 3 + (type === 1 ? 1 : length);
  }
  return { end: at, size };
}
