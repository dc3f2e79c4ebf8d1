/** Backends that order or copy wrongly, and the names of the checks that have to see it. */

import {
  type Backend,
  bitsOf,
  type KeyArray,
  type RequestShape,
  type SortRequest,
  type TypedArray,
} from '@keysweep/core';
import { compareKeys, oraclePermutation, segmentBounds } from '@keysweep/core/oracle';
import { type Broken, gather, OracleBackend } from './oracle-backend.js';

/** A backend that sorts as the oracle does, but for what `change` does to the request before. */
const sorting = (change: (request: SortRequest) => SortRequest): (() => Backend) => {
  class Changed extends OracleBackend {
    protected override order(request: SortRequest): Uint32Array<ArrayBuffer> {
      return super.order(change(request));
    }
  }
  return () => new Changed();
};

/** A backend that changes the oracle's permutation. */
const reordering = (
  change: (
    permutation: Uint32Array<ArrayBuffer>,
    request: SortRequest,
  ) => Uint32Array<ArrayBuffer> | undefined,
): (() => Backend) => {
  class Changed extends OracleBackend {
    protected override order(request: SortRequest): Uint32Array<ArrayBuffer> {
      const permutation = super.order(request);
      return change(permutation, request) ?? permutation;
    }
  }
  return () => new Changed();
};

/** A backend whose keys are seen as `see` has them. */
const seeing = (see: (column: KeyArray) => KeyArray): (() => Backend) =>
  sorting((request) => ({
    ...request,
    columns: request.columns.map(see) as unknown as SortRequest['columns'],
  }));

/** A backend whose keys and values are copied as `copy` does it. */
const copying = (copy: (array: TypedArray) => TypedArray): (() => Backend) => {
  class Changed extends OracleBackend {
    protected override gatherKeys(keys: KeyArray, permutation: Uint32Array): KeyArray {
      return copy(gather(keys, permutation));
    }
    protected override gatherValues(values: TypedArray, permutation: Uint32Array): TypedArray {
      return copy(gather(values, permutation));
    }
  }
  return () => new Changed();
};

const withShape = (request: SortRequest, shape: Partial<RequestShape>): SortRequest => ({
  ...request,
  shape: { ...request.shape, ...shape },
});

const isFloat = (array: TypedArray): boolean =>
  array instanceof Float32Array || array instanceof Float64Array;

/** Reverses runs of equal keys. */
function reverseTies(
  permutation: Uint32Array<ArrayBuffer>,
  { columns, segments }: SortRequest,
): Uint32Array<ArrayBuffer> {
  const isTie = (i: number, j: number): boolean =>
    columns.every((column) => compareKeys(column[i] as number, column[j] as number) === 0);
  for (const [start, end] of segmentBounds(permutation.length, segments)) {
    for (let i = start; i < end; ) {
      let next = i + 1;
      while (next < end && isTie(permutation[i] as number, permutation[next] as number)) next++;
      permutation.subarray(i, next).reverse();
      i = next;
    }
  }
  return permutation;
}

/** Numbers whose order is that of the keys' bits read as an unsigned or a signed number. */
function asIntegers(column: KeyArray, signed: boolean): KeyArray {
  const Class = {
    1: signed ? Int8Array : Uint8Array,
    2: signed ? Int16Array : Uint16Array,
    4: signed ? Int32Array : Uint32Array,
    8: signed ? BigInt64Array : BigUint64Array,
  }[column.BYTES_PER_ELEMENT as 1 | 2 | 4 | 8];
  return new Class(column.buffer as ArrayBuffer, column.byteOffset, column.length);
}

/** Backends that order wrongly. */
export const BROKEN_ORDERS: readonly Broken[] = [
  {
    flaw: 'is not stable',
    caughtBy: /^sorts (Uint8Array keys|Float32Array keys of every dist|each seg)|^argsorts columns/,
    create: reordering(reverseTies),
  },
  {
    flaw: 'is not stable in descending order',
    caughtBy: /^sorts ((Int8|Uint8Clamped)Array keys|any type)/,
    create: reordering((permutation, request) =>
      request.shape.order === 'descending' ? reverseTies(permutation, request) : undefined,
    ),
  },
  {
    flaw: 'takes descending for ascending',
    caughtBy: /^sorts (\w+ keys|any type|each segment)|^orders unsigned|^argsorts/,
    create: sorting((request) => withShape(request, { order: 'ascending' })),
  },
  {
    flaw: 'sorts signed numbers as unsigned ones',
    caughtBy: /^sorts (Int\d+|BigInt64)Array keys/,
    create: seeing((column) =>
      column instanceof Int8Array ||
      column instanceof Int16Array ||
      column instanceof Int32Array ||
      column instanceof BigInt64Array
        ? asIntegers(column, false)
        : column,
    ),
  },
  {
    flaw: 'sorts unsigned numbers as signed ones',
    caughtBy: /^sorts (Uint\d+(Clamped)?|BigUint64)Array keys/,
    create: seeing((column) => (isFloat(column) ? column : asIntegers(column, true))),
  },
  {
    flaw: 'sorts floats by their bits',
    caughtBy: /^sorts Float\d+Array keys/,
    create: seeing((column) => (isFloat(column) ? asIntegers(column, true) : column)),
  },
  {
    flaw: 'puts NaNs with the sign bit first',
    caughtBy: /^sorts Float(32|64)Array keys/,
    create: seeing((column) => {
      if (!isFloat(column)) return column;
      const signs = asIntegers(column, true);
      const moved = Float64Array.from(column as Float64Array);
      return moved.map((key, i) =>
        Number.isNaN(key) && (signs[i] as number) < 0 ? Number.NEGATIVE_INFINITY : key,
      );
    }),
  },
  {
    flaw: 'takes −0 and +0 for the same',
    caughtBy: /^sorts (Float(32|64)Array keys of every dist|views)/,
    create: seeing((column) =>
      isFloat(column) ? Float64Array.from(column as Float64Array, (key) => key + 0) : column,
    ),
  },
  {
    flaw: 'compares 64-bit keys as doubles',
    caughtBy: /^sorts Big(Int|Uint)64Array keys of every dist/,
    create: seeing((column) =>
      typeof column[0] === 'bigint' ? Float64Array.from(column as BigInt64Array, Number) : column,
    ),
  },
  {
    flaw: 'looks at half of a 64-bit key',
    caughtBy: /^sorts (Big(Int|Uint)64|Float64)Array keys/,
    create: seeing((column) =>
      column.BYTES_PER_ELEMENT < 8
        ? column
        : Uint32Array.from({ length: column.length }, (_, i) => bitsOf(column)[2 * i] as number),
    ),
  },
  {
    flaw: 'leaves the last key out where the length is one over a power of two',
    caughtBy: /^sorts \w+ keys of every length/,
    create: reordering((permutation) => {
      const { length } = permutation;
      if (length < 33 || ((length - 1) & (length - 2)) !== 0) return undefined;
      const others = permutation.filter((index) => index !== length - 1);
      return Uint32Array.of(...others, length - 1);
    }),
  },
  {
    flaw: 'takes one key twice and forgets another',
    caughtBy: /^sorts (\w+ keys|any type|each segment)|^argsorts/,
    create: reordering((permutation) => {
      if (permutation.length > 40) permutation[20] = permutation[21] as number;
      return permutation;
    }),
  },
  {
    flaw: 'sorts segments together',
    caughtBy: /^sorts (each segment|any type)|^argsorts several/,
    create: sorting((request) => ({ ...request, segments: undefined })),
  },
  {
    flaw: 'leaves the last segment as it is',
    caughtBy: /^sorts each segment|^argsorts several/,
    create: reordering((permutation, { segments }) => {
      const start = segments?.at(-1);
      if (start) for (let i = start; i < permutation.length; i++) permutation[i] = i;
      return permutation;
    }),
  },
  {
    flaw: 'stops at the first empty segment',
    caughtBy: /^sorts each segment|^takes segments/,
    create: reordering((permutation, { segments }) => {
      const empty = segments?.findIndex((start, i) => segments[i + 1] === start) ?? -1;
      if (empty < 0) return undefined;
      const from = segments?.[empty] as number;
      for (let i = from; i < permutation.length; i++) permutation[i] = i;
      return permutation;
    }),
  },
  {
    flaw: 'counts indices from the start of their segment',
    caughtBy: /^sorts each segment|^argsorts several/,
    create: reordering((permutation, { shape, segments }) => {
      if (shape.operation !== 'argsort') return undefined;
      for (const [start, end] of segmentBounds(permutation.length, segments)) {
        for (let i = start; i < end; i++) permutation[i] = (permutation[i] as number) - start;
      }
      return permutation;
    }),
  },
  {
    flaw: 'sorts by the whole key, whatever the key bits',
    caughtBy: /^orders unsigned|^takes segments/,
    create: sorting((request) => withShape(request, { keyBits: undefined })),
  },
  {
    flaw: 'takes the last key bit for included',
    caughtBy: /^orders unsigned|^takes segments/,
    create: sorting((request) => {
      const { keyBits } = request.shape;
      if (keyBits === undefined) return request;
      return withShape(request, { keyBits: { begin: keyBits.begin, end: keyBits.end + 1 } });
    }),
  },
  {
    flaw: 'takes the least significant column for the most significant',
    caughtBy: /^argsorts several/,
    create: sorting((request) => ({
      ...request,
      columns: [...request.columns].reverse() as unknown as SortRequest['columns'],
    })),
  },
  {
    flaw: 'looks at two columns only',
    caughtBy: /^argsorts several/,
    create: sorting((request) => ({
      ...request,
      columns: request.columns.slice(0, 2) as unknown as SortRequest['columns'],
    })),
  },
  {
    flaw: 'forgets the minor columns where the major one is in order',
    caughtBy: /^argsorts columns/,
    create: reordering((_, { columns, segments }) => {
      const [major] = columns;
      const byMajor = oraclePermutation([major], { segments });
      return columns.length > 1 && byMajor.every((index, i) => index === i) ? byMajor : undefined;
    }),
  },
];

/** Backends that move keys and values wrongly. */
export const BROKEN_COPIES: readonly Broken[] = [
  {
    flaw: 'makes one NaN of all',
    caughtBy: /^sorts (Float(32|64)Array keys|views)/,
    create: copying((array) => {
      if (isFloat(array)) {
        array.forEach((key: number | bigint, i: number) => {
          if (Number.isNaN(key)) array[i] = Number.NaN;
        });
      }
      return array;
    }),
  },
  {
    flaw: 'writes sorted numbers back without the sign of zero',
    caughtBy: /^sorts Float(32|64)Array keys of every dist/,
    create: copying((array) => {
      array.forEach((key: number | bigint, i: number) => {
        if (key === 0) array[i] = 0;
      });
      return array;
    }),
  },
  {
    flaw: 'moves half of a 64-bit value',
    caughtBy: /^sorts \w+ keys/,
    create: () =>
      new (class extends OracleBackend {
        protected override gatherValues(values: TypedArray, permutation: Uint32Array): TypedArray {
          const gathered = gather(values, permutation);
          if (values.BYTES_PER_ELEMENT < 8) return gathered;
          return (gathered as BigInt64Array).map((_, i) => i as never);
        }
      })(),
  },
];
