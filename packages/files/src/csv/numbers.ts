/** Numbers in text. */

const ZERO = 48;
const MINUS = 45;
const PLUS = 43;
const POINT = 46;
/** Digits of a number that is below 2^53 whatever they are. */
const EXACT = 15;
/** Digits of the lower half of a long integer, and the power of ten that it is below. */
const LOW_DIGITS = 9;
const LOW = 1e9;
/** A call takes only so many arguments. */
const ARGUMENTS = 1024;
/** The powers of ten that are numbers of 64 bits without an error. */
const POWERS = Array.from({ length: 23 }, (_, i) => 10 ** i);

/**
 * Writes the integer that the bytes from `from` up to `to` are as word `place` of `words`, which
 * has 64 bits, the low half first. Returns whether they are an integer of 64 bits.
 */
export function writeInteger(
  bytes: Uint8Array,
  from: number,
  to: number,
  words: Uint32Array,
  place: number,
): boolean {
  const sign = bytes[from];
  let at = sign === MINUS || sign === PLUS ? from + 1 : from;
  if (at >= to) return false;
  if (to - at > EXACT) return writeLong(bytes, at, to, sign === MINUS, words, place);
  let value = 0;
  for (; at < to; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return false;
    value = value * 10 + digit;
  }
  if (sign === MINUS) value = -value;
  // Both are taken modulo 2^32, which makes them two's complement.
  words[2 * place] = value;
  words[2 * place + 1] = Math.floor(value / 2 ** 32);
  return true;
}

/** The same of an integer without its sign, of any number of digits. */
function writeLong(
  bytes: Uint8Array,
  from: number,
  to: number,
  isNegative: boolean,
  words: Uint32Array,
  place: number,
): boolean {
  let first = from;
  while (first < to - 1 && bytes[first] === ZERO) first++;
  if (to - first > 19) return false;
  let high = 0;
  let low = 0;
  for (let at = first; at < to; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return false;
    if (to - at > LOW_DIGITS) high = high * 10 + digit;
    else low = low * 10 + digit;
  }
  // high · 10^9 + low in halves of 32 bits, by products that are all below 2^53.
  const upper = Math.floor(high / 2 ** 17) * LOW;
  const lower = (high % 2 ** 17) * LOW + low + (upper % 2 ** 15) * 2 ** 17;
  const top = Math.floor(upper / 2 ** 15) + Math.floor(lower / 2 ** 32);
  const bottom = lower % 2 ** 32;
  const isWithin = top < 2 ** 31 || (isNegative && top === 2 ** 31 && bottom === 0);
  words[2 * place] = isNegative ? -bottom : bottom;
  words[2 * place + 1] = isNegative ? -top - (bottom === 0 ? 0 : 1) : top;
  return isWithin;
}

/**
 * The number that the bytes from `from` up to `to` are, or undefined where they are none: decimal,
 * with or without an exponent, or in any case inf, infinity or nan. It is the double that is
 * nearest to what they say, as JavaScript reads it.
 */
export function numberAt(bytes: Uint8Array, from: number, to: number): number | undefined {
  const sign = bytes[from];
  const first = sign === MINUS || sign === PLUS ? from + 1 : from;
  // The first digits, which are exact, and those after them.
  let value = 0;
  let rest = 0;
  let digits = 0;
  let fraction = -1;
  let at = first;
  for (; at < to; at++) {
    const byte = bytes[at] as number;
    const digit = byte - ZERO;
    if (digit >= 0 && digit <= 9) {
      if (digits < EXACT) value = value * 10 + digit;
      else rest = rest * 10 + digit;
      digits++;
    } else if (byte === POINT && fraction === -1) fraction = at + 1;
    else break;
  }
  if (digits === 0) return wordAt(bytes, from, to);
  if (at < to && !isExponent(bytes, at, to)) return undefined;
  const power = fraction === -1 ? 0 : at - fraction;
  if (at === to && digits <= 2 * EXACT && power < POWERS.length) {
    const divisor = POWERS[power] as number;
    const nearest =
      digits <= EXACT
        ? value / divisor
        : longQuotient(value, POWERS[digits - EXACT] as number, rest, divisor);
    if (nearest !== undefined) return sign === MINUS ? -nearest : nearest;
  }
  return Number(latinOf(bytes, from, to));
}

/**
 * The double that is nearest to (`value` · `shift` + `rest`) / `divisor`, or undefined if it may be
 * either of two. All are whole numbers that doubles hold exactly. It is a division of numbers with
 * twice the digits, as Dekker (1971) has it, and four times as quick as a string and `Number`.
 */
function longQuotient(
  value: number,
  shift: number,
  rest: number,
  divisor: number,
): number | undefined {
  const product = value * shift;
  const more = errorOf(product, value, shift) + rest;
  const quotient = product / divisor;
  const back = quotient * divisor;
  const left = product - back - errorOf(back, quotient, divisor) + more;
  const correction = left / divisor;
  // Each of the last two steps is off by 2^-53 of its result at most.
  const slack = Math.abs(correction) * 2 ** -50;
  const [low, high] = [quotient + (correction - slack), quotient + (correction + slack)];
  return low === high ? low : undefined;
}

/** What the double `product` lacks of a · b. */
function errorOf(product: number, a: number, b: number): number {
  const highA = upperHalf(a);
  const highB = upperHalf(b);
  const [lowA, lowB] = [a - highA, b - highB];
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB;
}

/** The upper 26 bits of a double. */
function upperHalf(a: number): number {
  const far = a * (2 ** 27 + 1);
  return far - (far - a);
}

function isExponent(bytes: Uint8Array, from: number, to: number): boolean {
  if (((bytes[from] as number) | 32) !== 101) return false;
  let at = from + 1;
  if (bytes[at] === MINUS || bytes[at] === PLUS) at++;
  if (at >= to) return false;
  for (; at < to; at++) {
    const digit = (bytes[at] as number) - ZERO;
    if (digit < 0 || digit > 9) return false;
  }
  return true;
}

const WORD = /^([+-]?)(?:(nan)|inf(?:inity)?)$/i;

function wordAt(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to - from > '-infinity'.length) return undefined;
  const [word, sign, nan] = WORD.exec(latinOf(bytes, from, to)) ?? [];
  if (word === undefined) return undefined;
  if (nan !== undefined) return Number.NaN;
  return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** Bytes that are ASCII as a string. */
function latinOf(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += ARGUMENTS) {
    const part = bytes.subarray(at, Math.min(at + ARGUMENTS, to));
    text += String.fromCharCode.apply(null, part as unknown as number[]);
  }
  return text;
}
