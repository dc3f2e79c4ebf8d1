import {
  bitLength,
  type KeyType,
  keysToWords,
  limitRange,
  skippedBits,
  splitDigits,
  traitsOf,
} from '@keysweep/core';
import { describe, expect, it, test } from 'vitest';
import fc from './fast-check.js';

/** Two words and one between them. */
const threeWords = fc
  .tuple(
    fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
    fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
    fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }),
    fc.integer({ min: 0, max: 64 }),
  )
  // Shifted down, so that narrow ranges occur; moved up again, so that they don't begin at zero.
  .map(([a, b, c, shift]) => {
    const base = BigInt.asUintN(64 - shift || 1, c) << BigInt(shift);
    return [a, b, c].map((word) => BigInt.asUintN(64, base + BigInt.asUintN(shift, word)));
  })
  .map((words) => words.sort((a, b) => (a < b ? -1 : Number(a > b))) as [bigint, bigint, bigint]);

const keyBitsOf64 = fc
  .tuple(fc.integer({ min: 0, max: 64 }), fc.integer({ min: 0, max: 64 }))
  .map(([a, b]) => ({ begin: Math.min(a, b), end: Math.max(a, b) }));

const bitsBetween = (word: bigint, begin: number, end: number): bigint =>
  BigInt.asUintN(end - begin, word >> BigInt(begin));

const sign = (difference: bigint): number => Number(difference > 0n) - Number(difference < 0n);

test.each([
  [0n, 0],
  [1n, 1],
  [255n, 8],
  [256n, 9],
  [(1n << 64n) - 1n, 64],
])('bitLength(%s) is %i', (value, length) => {
  expect(bitLength(value)).toBe(length);
});

describe('skippedBits', () => {
  /** The word of a double. */
  const wordOf = (value: number): bigint => {
    const keys = Float64Array.of(value);
    return new BigUint64Array(keysToWords(keys, traitsOf(keys)).buffer)[0] as bigint;
  };
  const { MAX_VALUE, POSITIVE_INFINITY, NEGATIVE_INFINITY, NaN: NAN } = Number;

  it.each([
    [-MAX_VALUE, MAX_VALUE, 35],
    [0, MAX_VALUE, 35],
    [1, 2, 35],
    [1, 1.5, 34],
    // These have no distance.
    [NEGATIVE_INFINITY, 1, 0],
    [-MAX_VALUE, POSITIVE_INFINITY, 0],
    [0, NAN, 0],
  ])('leaves out bits of doubles from %d to %d if both are finite', (least, most, bits) => {
    expect(skippedBits('f64', wordOf(least), wordOf(most), 16)).toBe(bits);
    expect(skippedBits('f64', wordOf(least), wordOf(most), undefined)).toBe(0);
  });

  it.each<[KeyType, bigint, number, number]>([
    ['u32', 2n ** 32n - 1n, 16, 15],
    ['u32', 2n ** 17n, 16, 1],
    ['u32', 2n ** 17n - 1n, 16, 0],
    ['i64', 2n ** 64n - 1n, 24, 39],
    ['u8', 255n, 16, 0],
    ['f32', 2n ** 31n, 16, 0],
    ['f16', 2n ** 15n, 16, 0],
  ])(
    'leaves out bits of %s up to %s at a precision of %i: %i',
    (keyType, most, precision, bits) => {
      expect(skippedBits(keyType, 5n, 5n + most, precision)).toBe(bits);
      expect(skippedBits(keyType, 5n, 5n + most, undefined)).toBe(0);
    },
  );
});

describe('limitRange', () => {
  it('needs 8 bits for 1000 to 1255', () => {
    expect(limitRange(1000n, 1255n)).toEqual({ bias: 1000n, begin: 0, end: 8 });
    expect(limitRange(1000n, 1256n)).toEqual({ bias: 1000n, begin: 0, end: 9 });
  });

  it('needs none for equal keys', () => {
    expect(limitRange(77n, 77n)).toEqual({ bias: 77n, begin: 0, end: 0 });
  });

  it('leaves out the leading bits that all keys share, with keyBits', () => {
    expect(limitRange(0xab00n, 0xab0fn, { begin: 0, end: 16 })).toEqual({
      bias: 0n,
      begin: 0,
      end: 4,
    });
    expect(limitRange(0xab00n, 0xab0fn, { begin: 6, end: 16 })).toEqual({
      bias: 0n,
      begin: 6,
      end: 6,
    });
    expect(limitRange(0n, 0xffffn, { begin: 3, end: 9 })).toEqual({ bias: 0n, begin: 3, end: 9 });
  });

  it('keeps the order of all words in range', () => {
    fc.assert(
      fc.property(threeWords, ([minimum, word, maximum]) => {
        const { bias, begin, end } = limitRange(minimum, maximum);
        const digits = [minimum, word, maximum].map((w) => bitsBetween(w - bias, begin, end));
        expect(sign(digits[1]! - digits[0]!)).toBe(sign(word - minimum));
        expect(sign(digits[2]! - digits[1]!)).toBe(sign(maximum - word));
        // And it is the smallest: one bit less can't tell the ends apart.
        expect(end === 0 || 1n << BigInt(end - 1) <= maximum - minimum).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps the order by keyBits of all words in range', () => {
    fc.assert(
      fc.property(threeWords, keyBitsOf64, ([minimum, word, maximum], keyBits) => {
        const { bias, begin, end } = limitRange(minimum, maximum, keyBits);
        expect(bias).toBe(0n);
        expect(begin).toBe(keyBits.begin);
        expect(end).toBeLessThanOrEqual(keyBits.end);
        const wanted = (w: bigint): bigint => bitsBetween(w, keyBits.begin, keyBits.end);
        for (const other of [minimum, maximum]) {
          expect(sign(bitsBetween(word, begin, end) - bitsBetween(other, begin, end))).toBe(
            sign(wanted(word) - wanted(other)),
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('splitDigits', () => {
  it('divides evenly, least significant first', () => {
    expect(splitDigits(0, 32, 8).map(({ shift }) => shift)).toEqual([0, 8, 16, 24]);
    expect(splitDigits(0, 32, 11).map(({ width }) => width)).toEqual([11, 11, 10]);
    expect(splitDigits(3, 12, 8)).toEqual([
      { shift: 3, width: 5 },
      { shift: 8, width: 4 },
    ]);
    expect(splitDigits(5, 5, 8)).toEqual([]);
  });

  it('covers every bit once, with the fewest digits, none wider than asked for', () => {
    fc.assert(
      fc.property(keyBitsOf64, fc.integer({ min: 1, max: 16 }), ({ begin, end }, maxWidth) => {
        const digits = splitDigits(begin, end, maxWidth);
        const covered = digits.flatMap(({ shift, width }) =>
          Array.from({ length: width }, (_, i) => shift + i),
        );
        expect(covered).toEqual(Array.from({ length: end - begin }, (_, i) => begin + i));
        expect(digits).toHaveLength(Math.ceil((end - begin) / maxWidth));
        const widths = digits.map(({ width }) => width);
        for (const width of widths) expect(width).toBeLessThanOrEqual(maxWidth);
        expect(Math.max(...widths) - Math.min(...widths) <= 1 || digits.length === 0).toBe(true);
      }),
    );
  });
});
