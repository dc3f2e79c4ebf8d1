/** Requests as the dispatcher hands them to a backend. */

import {
  type KeyArray,
  type KeyBits,
  type KeyType,
  keyTypeOf,
  type Operation,
  type Order,
  type RequestShape,
  type SortRequest,
  type ValueArray,
} from '@keysweep/core';

/** What a check varies in a request. */
export interface Variation {
  readonly order?: Order;
  readonly segments?: Uint32Array | undefined;
  readonly keyBits?: KeyBits | undefined;
  readonly approximate?: boolean;
  readonly values?: ValueArray;
  readonly signal?: SortRequest['signal'];
  readonly onProgress?: SortRequest['onProgress'];
}

/** A whole request over `columns`, most significant first. */
export function makeRequest(
  operation: Operation,
  columns: readonly KeyArray[],
  variation: Variation = {},
): SortRequest {
  const { order = 'ascending', segments, keyBits, approximate = false, values } = variation;
  return {
    shape: {
      operation,
      keyTypes: columns.map((column) => keyTypeOf(column) as KeyType),
      valueBytes: (values?.BYTES_PER_ELEMENT ?? 0) as RequestShape['valueBytes'],
      length: columns[0]?.length ?? 0,
      order,
      segmentCount: segments?.length ?? 1,
      keyBits,
      approximate,
    },
    columns: columns as unknown as SortRequest['columns'],
    values,
    segments: segments?.slice(),
    signal: variation.signal,
    onProgress: variation.onProgress,
  };
}
