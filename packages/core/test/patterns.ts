/** Bit patterns of keys: arrays made of them, and the ones at which orders go wrong. */

import { type KeyArray, type KeyType, keyTraits } from '@keysweep/core';

const CLASSES = {
  u8: Uint8Array,
  i8: Int8Array,
  u16: Uint16Array,
  i16: Int16Array,
  // Node 20 has no Float16Array; transforms look at bits alone.
  f16: Uint16Array,
  u32: Uint32Array,
  i32: Int32Array,
  f32: Float32Array,
  u64: BigUint64Array,
  i64: BigInt64Array,
  f64: Float64Array,
};

/** Keys of `keyType` with these bits; f16 keys come in a Uint16Array. */
export function keysOf(keyType: KeyType, patterns: readonly bigint[]): KeyArray {
  const { bits } = keyTraits(keyType);
  const bytes = new DataView(new ArrayBuffer((patterns.length * bits) / 8));
  patterns.forEach((pattern, i) => {
    if (bits === 8) bytes.setUint8(i, Number(pattern));
    else if (bits === 16) bytes.setUint16(i * 2, Number(pattern), true);
    else if (bits === 32) bytes.setUint32(i * 4, Number(pattern), true);
    else bytes.setBigUint64(i * 8, pattern, true);
  });
  return new CLASSES[keyType](bytes.buffer);
}

/** The value of a key with these bits, decoded by the language itself, for f16 by hand. */
export function decode(keyType: KeyType, pattern: bigint): number | bigint {
  if (keyType === 'f16') return halfToNumber(Number(pattern));
  return keysOf(keyType, [pattern])[0] as number | bigint;
}

/** IEEE 754 binary16: one sign bit, five exponent bits, ten fraction bits. */
function halfToNumber(bits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

/** Every pattern of a key type of 8 or 16 bits. */
export function allPatterns(keyType: KeyType): bigint[] {
  return Array.from({ length: 2 ** keyTraits(keyType).bits }, (_, pattern) => BigInt(pattern));
}

/**
 * The patterns around every power of two and around zero, the ends, and so around every boundary
 * between the kinds of a float: zeros, subnormals, infinities, NaNs, of both signs.
 */
export function boundaryPatterns(keyType: KeyType): bigint[] {
  const { bits } = keyTraits(keyType);
  const all = (1n << BigInt(bits)) - 1n;
  const fractionBits = { f16: 10n, f32: 23n, f64: 52n }[keyType as 'f16' | 'f32' | 'f64'];
  const sign = 1n << BigInt(bits - 1);
  const corners = [0n, sign, all];
  for (let bit = 0; bit < bits; bit++) corners.push(1n << BigInt(bit));
  if (fractionBits !== undefined) {
    const infinity = (sign - 1n) & ~((1n << fractionBits) - 1n);
    const quiet = 1n << (fractionBits - 1n);
    // Of 64 bits it stands in the low word, and the high one is that of an infinity.
    const low = 1n << (fractionBits / 2n);
    for (const payload of [0n, low, quiet]) {
      corners.push(infinity | payload, sign | infinity | payload);
    }
  }
  const near = corners.flatMap((corner) => [corner - 1n, corner, corner + 1n]);
  return [...new Set(near.map((pattern) => pattern & all))];
}
