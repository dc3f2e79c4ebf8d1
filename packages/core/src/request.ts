/** Requests with nothing special about them, for whoever warms up or measures. */

import type { Operation, RequestShape, SortRequest } from './contract.js';
import { type KeyArray, type KeyType, keyTypeOf } from './elements.js';

/** Of `length` keys, or of them with payloads of 32 bits: undivided, ascending, by all bits. */
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

/** A plain request over `keys`; pairs have payloads that are all 0. */
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
