/** Requests without options, for warm-ups and measurements. */

import type { Operation, SortRequest } from '../contract.js';
import { type KeyArray, type KeyType, keyTypeOf } from '../elements.js';
import { plainShape } from './plain-shape.js';

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
