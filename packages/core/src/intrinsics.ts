/**
 * What the language itself says of typed arrays, taken when this module is loaded. An array's own
 * properties, the methods of a subclass, and prototypes that are changed later have no say in it.
 */

import type { GlobalInstance } from './global-types.js';

/** Every typed array: twelve element types, on any buffer (shared, resizable, with any offset). */
export type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | GlobalInstance<'Float16Array', never>
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

type Method<Rest extends readonly unknown[], Result> = (...rest: Rest) => Result;

/** A method as a function of its `this`. */
const uncurry = Function.prototype.bind.bind(Function.prototype.call) as unknown as <
  Self,
  Rest extends readonly unknown[],
  Result,
>(
  method: Method<Rest, Result>,
) => (self: Self, ...rest: Rest) => Result;

/** The prototype of an object, or null. */
export const getPrototypeOf: (value: object) => object | null = Object.getPrototypeOf;

const prototype = getPrototypeOf(Uint8Array.prototype) as Uint8Array;

const getter = <Self, Result>(name: PropertyKey): ((self: Self) => Result) =>
  uncurry<Self, [], Result>(
    Object.getOwnPropertyDescriptor(prototype, name)?.get as Method<[], Result>,
  );

/**
 * The name of the typed array class that `value` is an instance of in any realm, else undefined: an
 * object that merely claims the name is none.
 */
export const typedArrayName: (value: unknown) => string | undefined = getter(Symbol.toStringTag);

/** The elements of an array now; 0 where its buffer was detached, or shrunk below it. */
export const lengthOf: (array: TypedArray) => number = getter('length');

/** The buffer that an array is a view of. */
export const bufferOf: (array: TypedArray) => ArrayBufferLike = getter('buffer');

/** The first byte of an array in its buffer. */
export const byteOffsetOf: (array: TypedArray) => number = getter('byteOffset');

/** Sorts in place; by ECMAScript's order without a comparator. */
export const sortArray: (array: TypedArray, compare?: (a: number, b: number) => number) => void =
  uncurry(prototype.sort);

/** Reverses an array in place. */
export const reverseArray: (array: TypedArray) => void = uncurry(prototype.reverse);

const includes: (array: TypedArray, element: number) => boolean = uncurry(prototype.includes);

/** Whether some element is a NaN. */
export const hasNaN = (array: TypedArray): boolean => includes(array, Number.NaN);

/** Copies elements, from `at` on. */
export const setArray: (target: TypedArray, source: TypedArray, at?: number) => void = uncurry(
  prototype.set,
) as never;

/** @throws TypeError where the array's memory is gone: detached, or shrunk below it. */
export const assertAttached: (array: TypedArray) => void = uncurry(prototype.keys);

/** The array's `subarray`: it asks the array's class for the class of the result. */
export const subarrayOf: <T extends TypedArray>(array: T, begin: number, end?: number) => T =
  uncurry(prototype.subarray) as never;

/**
 * Throws if `array` no longer has the length that it had when the sort began, because its buffer
 * was detached (transferred to another thread) or resized meanwhile.
 */
export function assertUnchanged(name: string, array: TypedArray, length: number): void {
  const now = lengthOf(array);
  if (now === length) return;
  const what = now === 0 ? 'detached or emptied' : `resized from ${length} to ${now} elements`;
  throw new TypeError(`${name} was ${what} while it was being sorted`);
}
