/** Sorters under test: the functions that a caller has, with all that stands before a backend. */

import type {
  Backend,
  BackendName,
  KeyArray,
  OnArrayBuffer,
  Probe,
  SortOptions,
  SortRequest,
  ValueArray,
} from '@keysweep/core';

/** The part of a sorter that the checks use, as `createSorter` of keysweep makes one. */
export interface SorterLike {
  sort(keys: KeyArray, options: SortOptions): Promise<unknown>;
  sortPairs(keys: KeyArray, values: ValueArray, options: SortOptions): Promise<unknown>;
  argsort(columns: readonly KeyArray[], options: SortOptions): Promise<OnArrayBuffer<Uint32Array>>;
  capabilities(): Promise<Partial<Record<BackendName, Probe>>>;
  warmUp(maxLength?: number): Promise<void>;
  release(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A sorter that has the backend `name` alone, as a backend: the checks of backends then see what a
 * caller sees. `create` is called when it is first used.
 *
 * ```ts
 * const create = () => createSorter({ backends: [cpu()] });
 * describeBackend({ name: 'a sorter by cpu', create: () => sorterAsBackend('cpu', create) });
 * ```
 */
export function sorterAsBackend(name: BackendName, create: () => Promise<SorterLike>): Backend {
  let creating: Promise<SorterLike> | undefined;
  let created: SorterLike | undefined;
  const get = async (): Promise<SorterLike> => {
    creating ??= create();
    created = await creating;
    return created;
  };
  return {
    name,
    maxLength: () => Number.POSITIVE_INFINITY,
    probe: async () => (await (await get()).capabilities())[name] as Probe,
    async sort(request) {
      // At once: a check may change the arrays as soon as this returns.
      const permutation = await call(created ?? (await get()), request, name);
      return {
        permutation,
        milliseconds: {},
        passes: { run: 0, skipped: 0 },
        threads: 1,
        bound: 0,
      };
    },
    warmUp: async (maxLength) => (await get()).warmUp(maxLength),
    release: async () => (await get()).release(),
    close: async () => (await get()).close(),
  };
}

async function call(
  sorter: SorterLike,
  { shape, columns, values, segments, signal, onProgress }: SortRequest,
  backend: BackendName,
): Promise<OnArrayBuffer<Uint32Array> | undefined> {
  const { operation, order, keyBits, approximate } = shape;
  const options: SortOptions = {
    order,
    approximate,
    backend,
    ...(segments && { segments }),
    ...(keyBits && { keyBits }),
    ...(signal && { signal }),
    ...(onProgress && { onProgress }),
  };
  if (operation === 'argsort') return sorter.argsort(columns, options);
  if (operation === 'sort') await sorter.sort(columns[0], options);
  else await sorter.sortPairs(columns[0], values as ValueArray, options);
  return undefined;
}
