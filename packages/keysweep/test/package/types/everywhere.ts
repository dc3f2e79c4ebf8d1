/** A consumer's program that needs no DOM: compiled by several versions of TypeScript. */

import { type Backend, type KeyArray, keyTypeOf, type TypedArray } from '@keysweep/core';
import { compareKeys, oraclePermutation } from '@keysweep/core/oracle';
import { Random } from '@keysweep/core/random';
import { cpu } from '@keysweep/cpu';
import { webgl2 } from '@keysweep/webgl2';
import { RadixSorter, webgpu } from '@keysweep/webgpu';
import { tuningOf } from '@keysweep/webgpu/tuning';
import {
  argsort,
  BackendFailedError,
  BackendUnavailableError,
  builtin,
  ClosedError,
  createSorter,
  type Engine,
  type Plan,
  type Profile,
  type SortOptions,
  select,
  sort,
  sortPairs,
  toSorted,
  warmUp,
} from 'keysweep';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Compiles where both types are the same. */
function same<A, B>(..._are: Equal<A, B> extends true ? [] : ['these types differ']): void {}

/** What the engine itself makes: `Float64Array<ArrayBuffer>` from TypeScript 5.7 on. */
const floats = new Float64Array(3);
const words = new Uint32Array(3);
const longs = new BigUint64Array(3);

export async function sorts(given: Float64Array, keys: KeyArray): Promise<void> {
  same<Awaited<ReturnType<typeof sort<Float64Array>>>, Float64Array>();
  const sorted = await sort(given);
  same<typeof sorted, Float64Array>();
  const own = await sort(floats);
  same<typeof own, typeof floats>();
  const any = await sort(keys);
  same<typeof any, KeyArray>();

  // Of whatever array, a copy is on an ArrayBuffer.
  const copy = await toSorted(given);
  same<typeof copy, typeof floats>();
  const longCopy = await toSorted(new BigUint64Array(new SharedArrayBuffer(8)));
  same<typeof longCopy, typeof longs>();
  const clamped = await toSorted(Uint8ClampedArray.of(1));
  same<(typeof clamped)[typeof Symbol.toStringTag], 'Uint8ClampedArray'>();
  const anyCopy: TypedArray = await toSorted(keys);

  const pairs = await sortPairs(given, words);
  same<typeof pairs, { keys: Float64Array; values: typeof words }>();

  const order = await argsort(given);
  same<typeof order, typeof words>();
  const byTwo = await argsort([given, words] as const, { order: 'descending' });
  same<typeof byTwo, typeof words>();

  const middle = await select(given, 1);
  same<typeof middle, number>();
  const long = await select(longs, 1);
  same<typeof long, bigint>();
  const either = await select(keys, 1);
  same<typeof either, number | bigint>();

  // @ts-expect-error: no typed array
  await sort([1, 2, 3]);
  // @ts-expect-error: strings have no key type
  await argsort(['a', 'b']);
  // @ts-expect-error: values are a typed array
  await sortPairs(given, [1, 2, 3]);
  // @ts-expect-error: no such order
  await sort(given, { order: 'up' });
  // @ts-expect-error: a comparator
  await sort(given, (a: number, b: number) => a - b);
  // @ts-expect-error: no such backend
  await toSorted(given, { backend: 'gpu' });
  console.log(anyCopy.length, keyTypeOf(keys), compareKeys(1, 2));
}

export async function options(): Promise<void> {
  const all: SortOptions = {
    order: 'ascending',
    segments: Uint32Array.of(0, 2),
    keyBits: { begin: 0, end: 8 },
    approximate: false,
    backend: 'auto',
    signal: AbortSignal.timeout(100),
    onProgress: ({ phase, completed, total }) => console.log(phase, completed / total),
    onReport: ({ backend, reason, milliseconds, fallbacks }) =>
      console.log(backend, reason, milliseconds.total, fallbacks.length),
  };
  await sort(words, all);
}

export async function sorters(saved: Profile): Promise<void> {
  const backends: Backend[] = [
    cpu({ threads: 2, kernels: 'wasm', keepBytes: 0 }),
    webgl2({ load: async () => ({}) }),
    webgpu({ powerPreference: 'low-power' }),
    builtin(),
  ];
  const sorter = await createSorter({ backends, profile: saved, timeout: 1000 });
  const order = await sorter.argsort(floats);
  same<typeof order, typeof words>();
  const plan: Plan = sorter.plan({ keyType: 'u32', length: 1_000_000 });
  const profile = await sorter.calibrate({ milliseconds: 100 });
  const { runtime, engine } = profile.key;
  same<typeof runtime, string>();
  same<typeof engine, Engine>();
  console.log(plan.steps[0]?.backend, await sorter.capabilities(), await sorter.profile());
  await sorter.warmUp(2 ** 20);
  await warmUp();
  await sorter.release();
  await sorter.close();
  // @ts-expect-error: no such option
  await createSorter({ threads: 2 });
  // @ts-expect-error: a number of threads
  cpu({ threads: 'all' });
}

export async function buffers(device: Parameters<typeof RadixSorter.create>[0]): Promise<void> {
  const sorter = await RadixSorter.create(device, {
    keyType: 'f32',
    valueType: 'u32',
    order: 'descending',
    maxCount: 1000,
  });
  const bytes: number = sorter.scratchBytes;
  sorter.destroy();
  console.log(bytes, tuningOf(device).maxFew);
  // @ts-expect-error: no device
  await RadixSorter.create(1, { keyType: 'f32', maxCount: 1000 });
  // @ts-expect-error: no such key type
  await RadixSorter.create(device, { keyType: 'u8', maxCount: 1000 });
  // @ts-expect-error: no buffers
  sorter.encode(undefined, { keys: words, count: 3 });
  // @ts-expect-error: made by create() alone
  new RadixSorter();
}

export function errors(error: unknown): string {
  if (error instanceof BackendUnavailableError) return error.backend;
  if (error instanceof BackendFailedError) return error.message;
  return error instanceof ClosedError ? error.name : 'another error';
}

export const random: Uint8Array = new Random(1).fill(new Uint8Array(4));
export const permutation: Uint32Array = oraclePermutation([words]);
