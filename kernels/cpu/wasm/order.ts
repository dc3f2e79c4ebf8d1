/**
 * How a key's bits become the word that decides its order.
 *
 *   integer  word = bits - bias
 *   float    word = min(((bits - gap) ^ (sign(bits) & flip)) - bias, ceiling)
 *
 * All modulo the width of K; sign(bits) is all ones for a set sign bit, else 0. These are the
 * transforms of @keysweep/core, arranged to take few operations. The flip of the sign bit is part
 * of the bias, because adding the top bit inverts it; so is the range limiter's bias. The gap is
 * subtracted from the magnitudes of numbers of both signs: no number lies in it, so no digit is
 * spent on it. The minimum makes all NaNs ties. Records keep the key's own bits, which saves a pass
 * over memory at either end.
 *
 * An integer's bias has no bits below the top one of the order's range. So all digits can be taken
 * from the bare bits, and the bias only says with which value of the top digit the order begins.
 * That way passes over integers cost no operation for the order. The host sorts floats of one sign
 * as integers, too, and also the buckets of a partition if each has only one sign. Floats of both
 * signs cost six operations.
 *
 * Type parameters used throughout the kernels:
 *   K  bits of a key: u32 or u64. Narrower keys are widened with their sign by the host.
 *   P  payload of a record: void, u32 (beside u32 keys) or u64 (beside u64 keys).
 *   N  i32 for integer keys, f32 for floats: chooses the formula above. A partition of integers has
 *      two more: u8 for a digit within a window, and u32 for magnitudes.
 *
 * A record is [payload][key], little-endian: 4, 8, 8 or 16 bytes.
 */

import { Order } from './blocks';

/** Bytes of a record. */
@inline
export function stride<K, P>(): usize {
  return isVoid<P>() ? sizeof<K>() : sizeof<K>() + sizeof<P>();
}

/** Bits of the key in the record at `record`. */
@inline
export function keyAt<K, P>(record: usize): K {
  return isVoid<P>() ? load<K>(record) : load<K>(record, sizeof<K>());
}

/** Copies one record. */
@inline
export function move<K, P>(from: usize, to: usize): void {
  if (stride<K, P>() == 4) {
    store<u32>(to, load<u32>(from));
  } else if (stride<K, P>() == 8) {
    store<u64>(to, load<u64>(from));
  } else {
    store<u64>(to, load<u64>(from));
    store<u64>(to, load<u64>(from, 8), 8);
  }
}

/** All ones where the top bit of `bits` is set, else 0. */
@inline
export function signOf<K>(bits: K): K {
  return sizeof<K>() == 4 ? <K>((<i32>bits) >> 31) : <K>((<i64>bits) >> 63);
}

/** The bits that the digits of a pass are taken from. */
@inline
export function digits<K, N>(bits: K, flip: K, bias: K, ceiling: K, gap: K): K {
  return isFloat<N>() ? word<K, N>(bits, flip, bias, ceiling, gap) : bits;
}

/** Whether a partition's digit is counted within a window that begins at `gap`. */
@inline
export function isWindow<N>(): bool {
  return sizeof<N>() == 1;
}

/** Whether it is not bits of a word but the word's magnitude. */
@inline
export function byMagnitude<N>(): bool {
  return !isFloat<N>() && !isSigned<N>() && sizeof<N>() == 4;
}

/** The value with which the order of the digit at `shift` begins. */
@inline
export function firstValue<K, N>(order: Order, shift: u32, values: usize): usize {
  return isFloat<N>() ? 0 : <usize>(order.bias >> <u64>shift) & (values - 1);
}

/** The word of a key before the ceiling: its image under a bijection. */
@inline
export function image<K, N>(bits: K, flip: K, bias: K, gap: K): K {
  return isFloat<N>() ? ((bits - gap) ^ (signOf<K>(bits) & flip)) - bias : bits - bias;
}

/** The word that decides a key's order. */
@inline
export function word<K, N>(bits: K, flip: K, bias: K, ceiling: K, gap: K): K {
  const w = image<K, N>(bits, flip, bias, gap);
  return isFloat<N>() ? (w < ceiling ? w : ceiling) : w;
}
