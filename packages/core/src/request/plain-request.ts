/** Requests without options, for warm-ups and measurements. */

import type { Operation, RequestShape, SortRequest } from '../contract.js';
import { type KeyArray, type KeyType, keyTypeOf } from '../elements.js';

/** The shape of a plain request: one column, one segment, ascending, all bits, 32-bit payloads. */
export function plainShape(operation: Operation, keyType: KeyType, length: number): RequestShape {
  return {
    operation,
    keyTypes: [keyType],
    valueBytes: operation === 'sortPairs' ? 4 : 0,
    length,
    order: 'ascending',
    segmentCount: 1,
    keyBits: undefined,
    approximate: false,
  };
}

/** A plain request over `keys`. The payloads of pairs are new, all 0. */
export function plainRequest(operation: Operation, keys: KeyArray): SortRequest {
  return {
    shape: plainShape(operation, keyTypeOf(keys) as KeyType, keys.length),
    columns: [keys],
    values: operation === 'sortPairs' ? new Uint32Array(keys.length) : undefined,
    segments: undefined,
    signal: undefined,
    onProgress: undefined,
  };
}
