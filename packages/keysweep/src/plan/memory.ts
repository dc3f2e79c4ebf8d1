/** The memory that a request takes of the host, beside the caller's own arrays. */

import { type BackendName, keyTraits, type RequestShape } from '@keysweep/core';

/** Bytes below which a request is taken to fit, without a look at the free memory. */
export const LOOKED_AT_FROM: number = 2 ** 26;

/** Bytes a key that no request of any backend exceeds. */
export const MOST_BYTES = 44;

/** Bytes of the host's memory that a backend takes for a request, as its documentation says. */
export function bytesFor(backend: BackendName, shape: RequestShape): number {
  const { length, operation, keyTypes, valueBytes } = shape;
  const keyBytes = Math.max(...keyTypes.map((keyType) => keyTraits(keyType).bits)) / 8;
  const wide = Math.max(4, keyBytes);
  const isRows = operation !== 'sort';
  const result = operation === 'argsort' ? 4 : keyBytes + valueBytes;
  switch (backend) {
    // Records, twice: 4, 8 or 16 bytes.
    case 'cpu':
      return length * 2 * (isRows ? (wide === 8 || valueBytes === 8 ? 16 : 8) : wide);
    case 'webgpu':
      return length * result + 2 ** 26;
    case 'webgl2':
      return length * (isRows || keyBytes === 8 ? 44 : 24);
    case 'builtin':
      return length * (isRows || shape.keyBits ? 4 + result : 0);
  }
}
