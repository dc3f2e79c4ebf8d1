/**
 * How a key's bits become the word that decides its order.
 *
 *   integer  word = bits - bias
 *   float    word = min(((bits - gap) ^ (sign(bits) & flip)) - bias, ceiling)
 *
 * all modulo the width of K, where sign(bits) is all ones for a set sign bit, else 0. These are the
 * transforms of @keysweep/core with the flip of the sign bit folded into the bias (adding the top
 * bit and inverting it are one thing) and the range limiter's bias added. The gap is taken off the magnitudes of
 * numbers of both signs: as much as lies between zero and the least of them, which no digit need tell. The minimum makes all NaNs
 * ties. Records keep the key's own bits, which saves a pass over memory at either end.
 *
 * An integer's bias has no bits below the top one of the order's range. So all its digits are those
 * of the bare bits, and the bias only says with which value of the top digit the order begins: passes
 * over integers cost no operation for the order. The host brings floats of one sign to this kernel,
 * too, and the buckets of a partition, whose records have one sign. Mixed ones cost six operations.
 *
 * Type parameters used throughout the kernels:
 *   K  bits of a key: u32 or u64. Narrower keys are widened with their sign by the host.
 *   P  payload of a record: void, u32 (beside u32 keys) or u64 (beside u64 keys).
 *   N  i32 for integer keys, f32 for floats: chooses the formula above. A partition knows two more, for integers: u8, by a digit
 *      within a window, and u32, by magnitude.
 *
 * A record is [payload][key], little-endian: 4, 8, 8 or 16 bytes.
 */

/** An order in memory, written by the host; all fields are little-endian and 8-byte aligned. */
@unmanaged
export class Order {
  flip: u64;
  bias: u64;
  ceiling: u64;
  /** At most the least magnitude there is; 0 but for numbers of both signs. For a window, the word that it begins with. */
  gap: u64;
  /** Lowest bit of a word that decides. */
  begin: u32;
  /** One above the highest. */
  end: u32;
  /** 1 for descending order. */
  descending: u32;
  /** 1 where records agree in all bits of their words but [begin, end). */
  whole: u32;
}

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
function signOf<K>(bits: K): K {
  return sizeof<K>() == 4 ? <K>((<i32>bits) >> 31) : <K>((<i64>bits) >> 63);
}

/** What the digits of a pass are taken from. */
@inline
export function digits<K, N>(bits: K, flip: K, bias: K, ceiling: K, gap: K): K {
  return isFloat<N>() ? word<K, N>(bits, flip, bias, ceiling, gap) : bits;
}

/** Whether a partition's digit is counted from `gap` on, and has its first and last values for all words below and above. */
@inline
export function isWindow<N>(): bool {
  return sizeof<N>() == 1;
}

/** Whether it is not bits of a word but its magnitude. */
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

/** How a partition splits records by `width` bits of their words, in memory; written by the host. */
@unmanaged
export class Split {
  /** WINDOW, MAGNITUDE, or 0 where it is by the digit at `shift`. */
  kind: u32;
  /** The digit's lowest bit, or how many bits of mantissa a magnitude has. */
  shift: u32;
  width: u32;
  /** The value with which the order begins; it goes up from there and around. */
  first: u32;
  /** 1 for descending order. */
  descending: u32;
  /** One above the highest bit in which records may differ that are out of a window. */
  end: u32;
}

export const WINDOW: u32 = 8;
export const MAGNITUDE: u32 = 16;
