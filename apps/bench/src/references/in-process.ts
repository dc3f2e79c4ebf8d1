/**
 * Implementations that are functions of this process: keysweep, the built-in, and those of packages
 * (peers.ts).
 */

import type { KeyArray, TypedArray } from '@keysweep/core';
import { cpu } from '@keysweep/cpu';
import { createSorter } from 'keysweep';
import type { Definition } from '../inputs/definitions.js';
import { type Input, type Result, WORKLOADS } from '../measure/workload.js';
import type { Implementation } from './comparison.js';

/**
 * Sorts keys, or makes their permutation. The result may be a plain array; it may share `keys`'
 * memory.
 */
export type Call = (
  definition: Definition,
  keys: KeyArray,
) => TypedArray | number[] | Promise<TypedArray>;

/** An implementation out of a function, which is timed as a whole. */
export function inProcess(
  name: string,
  threads: number,
  call: Call,
  takes: (definition: Definition) => boolean,
): Implementation {
  return {
    name,
    threads,
    takes,
    async sort(definition, keys) {
      const start = performance.now();
      const returned = call(definition, keys);
      const result = returned instanceof Promise ? await returned : returned;
      const milliseconds = performance.now() - start;
      return { milliseconds, result: Array.isArray(result) ? Uint32Array.from(result) : result };
    },
  };
}

/** keysweep's CPU backend: the whole call, warm, ordinary arrays in and out. */
export async function keysweepImplementation(threads: number): Promise<Implementation> {
  // Other implementations can take longer between two calls than the backend keeps its memory for.
  const backend = cpu({ threads, keepBytes: Number.POSITIVE_INFINITY });
  const sorter = await createSorter({ backends: [backend] });
  // Short sorts start no threads.
  await sorter.warmUp();
  const call: Call = async (definition, keys) =>
    resultOf(definition, await WORKLOADS[definition.operation].ours(sorter, inputOf(keys)));
  return {
    ...inProcess('keysweep', threads, call, () => true),
    close: () => sorter.close(),
  };
}

/** The same with keys on shared memory, which all threads copy. Of sorts alone. */
export async function sharedImplementation(threads: number): Promise<Implementation> {
  const keysweep = await keysweepImplementation(threads);
  let memory: SharedArrayBuffer | undefined;
  return {
    ...keysweep,
    name: 'keysweep, shared memory',
    takes: ({ operation }) => operation === 'sort',
    sort(definition, keys) {
      if (memory?.byteLength !== keys.byteLength) memory = new SharedArrayBuffer(keys.byteLength);
      const shared = new (keys.constructor as new (buffer: SharedArrayBuffer) => KeyArray)(memory);
      shared.set(keys as never);
      return keysweep.sort(definition, shared);
    },
  };
}

/** `TypedArray.prototype.sort`, and for argsort a sort of indices with a comparator. */
export function builtinImplementation(): Implementation {
  const call: Call = (definition, keys) =>
    resultOf(definition, WORKLOADS[definition.operation].theirs(inputOf(keys)));
  return inProcess('built-in', 1, call, () => true);
}

const inputOf = (keys: KeyArray): Input => ({ columns: [keys], values: undefined });

const resultOf = ({ operation }: Definition, { keys, order }: Result): TypedArray =>
  operation === 'argsort' ? (order as Uint32Array) : keys;
