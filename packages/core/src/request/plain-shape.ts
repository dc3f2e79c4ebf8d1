/** The shapes of requests without options. */

import type { Operation, RequestShape } from '../contract.js';
import type { KeyType } from '../elements.js';

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
