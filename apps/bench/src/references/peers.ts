/** Sorts of npm packages, which `npm run build:references` installs beside the build. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { runInThisContext } from 'node:vm';
import type { CommonKeyType } from '@keysweep/conformance/data';
import type { KeyArray, TypedArray } from '@keysweep/core';
import type { Definition } from '../inputs/definitions.js';
import type { Implementation } from './comparison.js';
import { type Call, inProcess } from './in-process.js';

/** A package, and how it is called. */
interface Peer {
  readonly name: string;
  /** Its package, where that is not its name. */
  readonly package?: string;
  /** Whether it takes as many threads as there are. */
  readonly parallel?: boolean;
  takes(definition: Definition): boolean;
  /** `require` finds packages in the folder that they were installed to. */
  load(require: NodeJS.Require): Promise<Call>;
}

/** Where `npm run build:references` installs them. */
const FOLDER = new URL('../../dist/peers/', import.meta.url);

const load = async <Module>(require: NodeJS.Require, specifier: string): Promise<Module> =>
  await import(pathToFileURL(require.resolve(specifier)).href);

const sorts =
  (...keyTypes: CommonKeyType[]) =>
  ({ operation, keyType }: Definition): boolean =>
    operation === 'sort' && keyTypes.includes(keyType);

/** hpc-algorithms works in a plain array, and V8 makes a hash table of a longer one. */
const LONGEST_PLAIN = 2 ** 25;

/**
 * Each by its documentation. Where it takes an array to work in, that is kept for the next call.
 */
export const PEERS: readonly Peer[] = [
  {
    name: 'radixsort',
    takes: sorts('u32', 'f32', 'f64'),
    async load(require) {
      type Sort = (keys: KeyArray, other: KeyArray) => TypedArray;
      const { radixsort } = await load<{ radixsort: () => Sort }>(require, 'radixsort');
      const sort = radixsort();
      const other = keeper();
      return (_, keys) => sort(keys, other(keys));
    },
  },
  {
    name: 'hpc-algorithms',
    takes: (definition) => sorts('u32')(definition) && definition.length <= LONGEST_PLAIN,
    async load(require) {
      // A script for pages, which exports nothing.
      runInThisContext(readFileSync(require.resolve('hpc-algorithms'), 'utf8'));
      type Sorting = { RadixSortLsdUInt32(keys: KeyArray): TypedArray };
      const { HpcAlgorithms } = globalThis as unknown as { HpcAlgorithms: { Sorting: Sorting } };
      return (_, keys) => HpcAlgorithms.Sorting.RadixSortLsdUInt32(keys);
    },
  },
  {
    name: 'three SortUtils',
    package: 'three',
    takes: (definition) =>
      sorts('u32')(definition) ||
      (definition.operation === 'argsort' && definition.keyType === 'f32'),
    async load(require) {
      type Options = { aux: TypedArray; get?: (item: number) => number };
      type Module = { radixSort(items: TypedArray, options: Options): void };
      const { radixSort } = await load<Module>(require, 'three/addons/utils/SortUtils.js');
      const other = keeper();
      return ({ operation }, keys) => {
        if (operation === 'sort') {
          radixSort(keys, { aux: other(keys) });
          return keys;
        }
        const words = wordsOf(keys as Float32Array);
        const order = Uint32Array.from(words, (_, i) => i);
        radixSort(order, { aux: other(order), get: (i) => words[i] as number });
        return order;
      };
    },
  },
  {
    name: 'polars',
    package: 'nodejs-polars',
    parallel: true,
    takes: ({ operation, keyType }) =>
      operation !== 'sortPairs' && ['u32', 'f32', 'u64', 'f64'].includes(keyType),
    async load(require) {
      type Series = { sort(): Series; argSort(): Series; toTypedArray(): TypedArray };
      type Module = { default: { Series(name: string, values: TypedArray): Series } };
      const { default: polars } = await load<Module>(require, 'nodejs-polars');
      return ({ operation }, keys) => {
        const series = polars.Series('keys', keys);
        return (operation === 'sort' ? series.sort() : series.argSort()).toTypedArray();
      };
    },
  },
];

/** The packages that load, their versions, and why others do not. */
export interface LoadedPeers {
  readonly implementations: readonly Implementation[];
  readonly versions: Readonly<Record<string, string>>;
  readonly absent: Readonly<Record<string, string>>;
}

/** A package of `folder` by `require`, or undefined where it is not installed. */
export function requirePeer<Module>(name: string, folder: URL = FOLDER): Module | undefined {
  if (!existsSync(new URL(`node_modules/${name}`, folder))) return undefined;
  return createRequire(folder)(name) as Module;
}

/** Loads PEERS that are installed in `folder`; those that can take `threads` threads. */
export async function loadPeers(threads: number, folder: URL = FOLDER): Promise<LoadedPeers> {
  // polars reads it once, when it is loaded.
  process.env.POLARS_MAX_THREADS = String(threads);
  const require = createRequire(folder);
  const implementations: Implementation[] = [];
  const versions: Record<string, string> = {};
  const absent: Record<string, string> = {};
  for (const { name, package: installed = name, parallel, takes, ...peer } of PEERS) {
    const manifest = new URL(`node_modules/${installed}/package.json`, folder);
    if (!existsSync(manifest)) {
      absent[name] = 'not installed: npm run build:references';
      continue;
    }
    try {
      const call = await peer.load(require);
      implementations.push(inProcess(name, parallel ? threads : 1, call, takes));
      versions[installed] = JSON.parse(readFileSync(manifest, 'utf8')).version;
    } catch (error) {
      absent[name] = `does not load: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
  return { implementations, versions, absent };
}

/** Makes an array like another to work in, and keeps it for the next one of that kind. */
function keeper(): <Keys extends TypedArray>(like: Keys) => Keys {
  let kept: TypedArray | undefined;
  return <Keys extends TypedArray>(like: Keys): Keys => {
    if (kept?.constructor !== like.constructor || kept.length !== like.length) {
      kept = like.slice() as TypedArray;
    }
    return kept as Keys;
  };
}

/** Words in the order of the floats: what a caller of a sort of unsigned keys has to make first. */
function wordsOf(keys: Float32Array): Uint32Array {
  return new Uint32Array(keys.buffer, keys.byteOffset, keys.length).map((bits) =>
    bits >>> 31 ? ~bits : bits | 0x80000000,
  );
}
