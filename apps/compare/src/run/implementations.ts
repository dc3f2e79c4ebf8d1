/** The implementations that are measured: the built-in sort, and keysweep's backends on arrays. */

import { compareKeys } from '@keysweep/core/oracle';
import type { BackendName, KeyArray, Operation, Sorter, SortReport, ValueArray } from 'keysweep';
import type { Payload, SeriesId, Settings } from '../settings/settings.js';
import { operationOf } from '../settings/settings.js';
import type { Clock } from './events.js';
import type { Result } from './verify.js';

/** What an implementation did with the inputs of a sample. */
export interface Sample {
  /** The time of all sorts together. */
  readonly milliseconds: number;
  readonly clock: Clock;
  /** One result a sort: all inputs in turn, once or several times. */
  readonly results: readonly Result[];
  readonly reports: readonly SortReport[];
}

export interface Implementation {
  readonly series: SeriesId;
  readonly software: boolean;
  /** Sorts a copy of each input; only the sorts are timed. Rejects when a sort rejects. */
  sort(inputs: readonly KeyArray[], signal: AbortSignal): Promise<Sample>;
  /** Frees what is kept for the next sort. */
  release(): Promise<void>;
}

type Task = Pick<Settings, 'payload' | 'order'>;

/** A payload of 0, 1, 2 …: the input position of each key. */
export function payloadFor(payload: Payload, length: number): ValueArray | undefined {
  if (payload === 'none' || payload === 'indices') return undefined;
  const values = payload === '32' ? new Uint32Array(length) : new BigUint64Array(length);
  const low = new Uint32Array(values.buffer);
  const step = low.length / Math.max(1, length);
  for (let i = 0; i < length; i++) low[i * step] = i;
  return values;
}

/** The input positions in a sorted payload. */
export function originsOf(values: ValueArray | undefined): ArrayLike<number> | undefined {
  if (values === undefined || values instanceof Uint32Array) return values;
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length);
  return words.filter((_, i) => i % 2 === 0);
}

/** Copies of the inputs, made before the clock starts. */
interface Copy {
  readonly keys: KeyArray;
  readonly values: ValueArray | undefined;
}

const copiesOf = (inputs: readonly KeyArray[], { payload }: Task): Copy[] =>
  inputs.map((keys) => ({
    // argsort leaves its keys alone.
    keys: payload === 'indices' ? keys : (keys.slice() as KeyArray),
    values: payloadFor(payload, keys.length),
  }));

/**
 * The sort without keysweep: `keys.sort()`, or a sort of indices by a comparator and then a gather.
 */
export function builtinSort(task: Task): Implementation {
  const { payload, order } = task;
  return {
    series: 'builtin',
    software: false,
    async sort(inputs) {
      const copies = copiesOf(inputs, task);
      const results: Result[] = [];
      const start = performance.now();
      for (const { keys, values } of copies) {
        if (payload === 'none') {
          keys.sort();
          if (order === 'descending') keys.reverse();
          results.push({ keys, origins: undefined });
        } else {
          const places = sortedIndices(keys, order === 'descending' ? -1 : 1);
          if (values === undefined) results.push({ keys, origins: places });
          else {
            results.push({
              keys: gathered(keys, places),
              origins: originsOf(gathered(values, places)),
            });
          }
        }
      }
      return { milliseconds: performance.now() - start, clock: 'host', results, reports: [] };
    },
    async release() {},
  };
}

function sortedIndices(keys: KeyArray, sign: number): Uint32Array {
  const numbers = keys as ArrayLike<number>;
  const indices = Uint32Array.from({ length: keys.length }, (_, i) => i);
  return indices.sort((i, j) => {
    const [a, b] = [numbers[i] as number, numbers[j] as number];
    return a < b ? -sign : a > b ? sign : sign * compareKeys(a, b);
  });
}

function gathered<A extends KeyArray>(array: A, places: Uint32Array): A {
  const result = array.slice() as A;
  for (let i = 0; i < places.length; i++) result[i] = array[places[i] as number] as A[number];
  return result;
}

/** A backend of keysweep, or the one it chooses, from an ordinary array to an ordinary array. */
export function backendSort(
  sorter: Sorter,
  backend: BackendName | 'auto',
  software: boolean,
  task: Task,
): Implementation {
  const operation: Operation = operationOf(task.payload);
  return {
    series: backend,
    software,
    async sort(inputs, signal) {
      const copies = copiesOf(inputs, task);
      const reports: SortReport[] = [];
      const orders: Uint32Array[] = [];
      const onReport = (report: SortReport): void => {
        reports.push(report);
      };
      const options = { backend, order: task.order, signal, onReport };
      const start = performance.now();
      for (const { keys, values } of copies) {
        if (operation === 'sort') await sorter.sort(keys, options);
        else if (operation === 'argsort') orders.push(await sorter.argsort(keys, options));
        else await sorter.sortPairs(keys, values as ValueArray, options);
      }
      const milliseconds = performance.now() - start;
      const results = copies.map(
        ({ keys, values }, i): Result => ({ keys, origins: orders[i] ?? originsOf(values) }),
      );
      return { milliseconds, clock: 'host', results, reports };
    },
    release: () => sorter.release(),
  };
}

/** The request that a length stands for. */
export const requestFor = ({ keyType, payload, order }: Settings, length: number) => ({
  operation: operationOf(payload),
  keyType,
  length,
  order,
  ...(payload === '64' ? { valueBytes: 8 as const } : {}),
});
