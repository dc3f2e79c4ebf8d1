/** The work that is timed: keysweep's way and the built-in way of doing the same. */

import { faultOfGather, faultOfKeys, faultOfOrder } from '@keysweep/conformance/verify';
import type { KeyArray, TypedArray } from '@keysweep/core';
import type { Operation, Sorter, SortOptions } from 'keysweep';

/** What an operation works on. Columns other than the first are for argsort. */
export interface Input {
  readonly columns: readonly [KeyArray, ...KeyArray[]];
  /** Payloads of sortPairs. */
  readonly values: Uint32Array | undefined;
}

/** What it leaves behind. */
export interface Result {
  readonly keys: KeyArray;
  readonly values: Uint32Array | undefined;
  /** Of argsort. */
  readonly order: Uint32Array | undefined;
}

/** One operation, done in two ways. */
export interface Workload {
  ours(sorter: Sorter, input: Input, options?: SortOptions): Promise<Result>;
  theirs(input: Input): Result;
}

/** Each operation beside what one writes without keysweep. */
export const WORKLOADS: Readonly<Record<Operation, Workload>> = {
  sort: {
    async ours(sorter, { columns: [keys] }, options) {
      return { keys: await sorter.sort(keys, options), values: undefined, order: undefined };
    },
    theirs: ({ columns: [keys] }) => ({ keys: keys.sort(), values: undefined, order: undefined }),
  },
  sortPairs: {
    async ours(sorter, { columns: [keys], values }, options) {
      const sorted = await sorter.sortPairs(keys, values as Uint32Array, options);
      return { ...sorted, order: undefined };
    },
    theirs({ columns: [keys], values }) {
      const order = comparatorOrder([keys]);
      const moved = gather(values as Uint32Array, order);
      return { keys: gather(keys, order), values: moved, order: undefined };
    },
  },
  argsort: {
    async ours(sorter, { columns }, options) {
      const order = await sorter.argsort(columns, options);
      return { keys: columns[0], values: undefined, order };
    },
    theirs: ({ columns }) => ({
      keys: columns[0],
      values: undefined,
      order: comparatorOrder(columns),
    }),
  },
};

/**
 * What is wrong with the result of an ascending sort of `input`, or undefined. Without a second
 * sort: at 2^26 keys that would take too long.
 */
export function faultOf({ columns }: Input, { keys, values, order }: Result): string | undefined {
  if (order !== undefined && values === undefined) return faultOfOrder(columns, order);
  const [given] = columns;
  if (values === undefined) return faultOfKeys(keys, given);
  return faultOfOrder([given], values) ?? faultOfGather(keys, given, values);
}

/** A deep copy: sorts work in place. */
export function copyInput({ columns: [first, ...others], values }: Input): Input {
  return {
    columns: [first.slice(), ...others.map((column) => column.slice())],
    values: values?.slice(),
  };
}

/** The usual way to sort rows by columns: a sort of their indices with a comparator. */
function comparatorOrder(columns: readonly KeyArray[]): Uint32Array {
  const order = Uint32Array.from({ length: columns[0]?.length ?? 0 }, (_, i) => i);
  const [first, second] = columns as readonly ArrayLike<number>[];
  if (first === undefined) return order;
  // One comparator a case, so that each is as quick as it would be in a program of its own. With
  // relational operators it is right for numbers and bigints alike.
  if (second === undefined) {
    return order.sort((i, j) => {
      const [a, b] = [first[i] as number, first[j] as number];
      return a < b ? -1 : a > b ? 1 : 0;
    });
  }
  return order.sort((i, j) => {
    const [a, b] = [first[i] as number, first[j] as number];
    if (a !== b) return a < b ? -1 : 1;
    const [c, d] = [second[i] as number, second[j] as number];
    return c < d ? -1 : c > d ? 1 : 0;
  });
}

/** The elements of `array` in the given order, in a new array. */
function gather<T extends TypedArray>(array: T, order: Uint32Array): T {
  const sorted = array.slice() as T;
  for (let i = 0; i < order.length; i++) sorted[i] = array[order[i] as number] as T[number];
  return sorted;
}
