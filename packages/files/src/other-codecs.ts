/** Decompressors for what is not compressed by Snappy. */

// @ts-expect-error: the library has no types for the inner part that its decoder writes to.
import { BrotliOutput as Output } from 'hyparquet-compressors/src/brotli.streams.js';

export { compressors } from 'hyparquet-compressors';

/**
 * The decoder of Brotli makes its output larger where a stream has more bytes than it should, up to
 * 2 GiB for a few hundred bytes. Its output can be set only once, therefore: what takes more room
 * than the page said is an error.
 */
const outputs = new WeakMap<object, Uint8Array>();
Object.defineProperty((Output as { prototype: object }).prototype, 'buffer', {
  get(this: object) {
    return outputs.get(this);
  },
  set(this: object, bytes: Uint8Array) {
    if (outputs.has(this)) throw new Error('a page has more bytes than its header says');
    outputs.set(this, bytes);
  },
});
