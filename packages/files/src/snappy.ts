/** Snappy in WebAssembly. The module is made once and kept: making it takes longer than a page. */

import { snappyCompressor, snappyUncompressor } from 'hysnappy';

/** The memory of WebAssembly never shrinks, so that of larger pages is let go. */
const LARGE = 2 ** 23;

/** What `make` gives, made anew after a call that failed or made its memory large. */
function kept<T extends unknown[]>(
  make: () => (bytes: Uint8Array, ...more: T) => Uint8Array,
): (bytes: Uint8Array, ...more: T) => Uint8Array {
  let own: ReturnType<typeof make> | undefined;
  return (bytes, ...more) => {
    const run = own ?? make();
    own = undefined;
    const result = run(bytes, ...more);
    if (bytes.length + result.length <= LARGE) own = run;
    return result;
  };
}

export const compressSnappy: (bytes: Uint8Array) => Uint8Array = kept(snappyCompressor);

const decompress = kept(snappyUncompressor);

/** @throws Error unless `bytes` are `size` bytes compressed */
export function decompressSnappy(bytes: Uint8Array, size: number): Uint8Array {
  // The library would write as many as the bytes themselves say, wherever that ends.
  let said = 0;
  for (let i = 0, shift = 0; shift < 35; i++, shift += 7) {
    const byte = bytes[i] ?? 0;
    said += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) break;
  }
  if (said !== size) {
    throw new Error(`compressed bytes say that they become ${said} bytes, and not ${size}`);
  }
  return decompress(bytes, size);
}
