/**
 * The runtime's own sort as a backend. It is always there, and runs on the calling thread, in one
 * go.
 */

import {
  assertGoesOn,
  type Backend,
  ClosedError,
  commit,
  gather,
  identity,
  type KeyArray,
  type KeyBits,
  keyTypeOf,
  type Probe,
  reverseArray,
  type SortOutcome,
  type SortRequest,
  sortArray,
  subarrayOf,
} from '@keysweep/core';

const PROBE: Probe = {
  available: true,
  capabilities: {
    description: 'TypedArray.prototype.sort on the calling thread',
    software: false,
    threads: 1,
  },
};

/**
 * The runtime's own sort as a backend, for any length.
 * Keys alone go to `TypedArray.prototype.sort`, which takes what the engine takes beside the
 * array. Payloads, permutations and key bits take a stable sort of indices by a comparator, which
 * is some ten times slower, and 4 bytes an index and the results. O(n log n). Blocks the calling
 * thread until it is done.
 * ```ts
 * const sorter = await createSorter({ backends: [builtin()] });
 * ```
 */
export function builtin(): Backend {
  let closed = false;
  const backend: Backend = {
    name: 'builtin',
    probe: async () => PROBE,
    maxLength: () => Number.MAX_SAFE_INTEGER,
    async sort(request) {
      if (closed) throw new ClosedError('the builtin backend');
      if (request.signal?.aborted) throw request.signal.reason;
      request.onProgress?.({ phase: 'sort', completed: 0, total: 1 });
      assertGoesOn(request);
      const start = performance.now();
      const permutation = sortNow(request);
      return outcome(permutation, performance.now() - start);
    },
    async warmUp() {},
    async release() {},
    async close() {
      closed = true;
    },
  };
  made.add(backend);
  return backend;
}

const made = new WeakSet<Backend>();

/** Whether `builtin` made a backend, as opposed to another one of that name. */
export const isBuiltin = (backend: Backend): boolean => made.has(backend);

const outcome = (permutation: Uint32Array<ArrayBuffer> | undefined, sort: number): SortOutcome => ({
  permutation,
  milliseconds: { sort },
  passes: { run: 0, skipped: 0 },
  threads: 1,
  bound: 0,
});

/** Serves a request at once; of argsort returns the permutation. */
export function sortNow(request: SortRequest): SortOutcome['permutation'] {
  const { shape, columns, values } = request;
  const [keys] = columns;
  if (shape.operation === 'sort' && shape.keyBits === undefined) {
    sortKeys(request);
    return undefined;
  }
  const permutation = sortIndices(request);
  if (shape.operation === 'argsort') return permutation;
  const results = [gather('keys', keys, permutation)];
  if (values !== undefined) results.push(gather('values', values, permutation));
  commit(results);
  return undefined;
}

/** Calls `each` for every segment that has something to sort. */
function forEachSegment(
  length: number,
  segments: Uint32Array | undefined,
  each: (start: number, end: number) => void,
): void {
  if (segments === undefined) {
    each(0, length);
    return;
  }
  for (let i = 0; i < segments.length; i++) {
    const [start, end] = [segments[i] as number, segments[i + 1] ?? length];
    if (end - start > 1) each(start, end);
  }
}

function sortKeys({ shape, columns, segments }: SortRequest): void {
  const [keys] = columns;
  forEachSegment(shape.length, segments, (start, end) => {
    const segment = subarrayOf(keys, start, end);
    sortArray(segment);
    if (shape.order === 'descending') reverseArray(segment);
  });
}

function sortIndices({ shape, columns, segments }: SortRequest): Uint32Array<ArrayBuffer> {
  const { length, keyBits } = shape;
  const sign = shape.order === 'descending' ? -1 : 1;
  const compared = columns.map((column) => (keyBits ? selectBits(column, keyBits) : column));
  const compare = (i: number, j: number): number => {
    for (const column of compared) {
      const c = compareKeys(column[i] as number | bigint, column[j] as number | bigint);
      if (c !== 0) return c * sign;
    }
    return 0;
  };
  const indices = identity(length);
  forEachSegment(length, segments, (start, end) =>
    sortArray(subarrayOf(indices, start, end), compare),
  );
  return indices;
}

/** ECMAScript's order. The common cases come first, for this runs n log n times. */
function compareKeys(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return a === 0 ? Number(Object.is(b, -0)) - Number(Object.is(a, -0)) : 0;
  return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
}

/** Copies of unsigned keys in which only `keyBits` are left. */
function selectBits(keys: KeyArray, { begin, end }: KeyBits): KeyArray {
  if (keyTypeOf(keys) === 'u64') {
    return (keys as BigUint64Array).map((key) => BigInt.asUintN(end - begin, key >> BigInt(begin)));
  }
  const modulus = 2 ** (end - begin);
  return Uint32Array.from(keys as Uint32Array, (key) => Math.floor(key / 2 ** begin) % modulus);
}
