/**
 * The place of every key among all keys of its type, which key bits are bits of. Found by counting
 * values: it shares nothing with the transforms of a sort.
 */

import type { OnArrayBuffer, TypedArray } from '@keysweep/core';

/**
 * Integers less the smallest one. Floats: 0 for -Infinity, one more for each next value up to
 * Infinity, and the next for every NaN. As unsigned integers of the same width.
 */
export function placesOf(
  keys: TypedArray,
): OnArrayBuffer<Uint32Array> | OnArrayBuffer<BigUint64Array> {
  const places = Array.from(keys as ArrayLike<number | bigint>, placeFunction(keys));
  if (keys.BYTES_PER_ELEMENT === 8) return BigUint64Array.from(places);
  return Uint32Array.from(places, Number);
}

function placeFunction(keys: TypedArray): (key: number | bigint) => bigint {
  if (keys instanceof Float32Array || keys instanceof Float64Array) return floatPlaces(keys);
  const least = { Int32Array: -(2n ** 31n), BigInt64Array: -(2n ** 63n) };
  const subtracted = least[keys.constructor.name as keyof typeof least] ?? 0n;
  return (key) => BigInt(key) - subtracted;
}

/** Bits without the sign count the values from zero on. */
function floatPlaces(keys: Float32Array | Float64Array): (key: number | bigint) => bigint {
  const view = new DataView(new ArrayBuffer(8));
  const isWide = keys instanceof Float64Array;
  const magnitudeOf = (value: number): bigint => {
    if (isWide) view.setFloat64(0, Math.abs(value));
    else view.setFloat32(0, Math.abs(value));
    return isWide ? view.getBigUint64(0) : BigInt(view.getUint32(0));
  };
  const infinity = magnitudeOf(Number.POSITIVE_INFINITY);
  return (key) => {
    const value = Number(key);
    if (Number.isNaN(value)) return 2n * infinity + 2n;
    const isNegative = value < 0 || Object.is(value, -0);
    const magnitude = magnitudeOf(value);
    return isNegative ? infinity - magnitude : infinity + 1n + magnitude;
  };
}
