import {
  bitsOf,
  KEY_TYPES,
  type KeyType,
  keysToWords,
  keyTraits,
  keyTransform,
  wordsToKeys,
} from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { describe, expect, it, test } from 'vitest';
import fc from './fast-check.js';
import { allPatterns, boundaryPatterns, decode, keysOf } from './patterns.js';

/** The words of keys with these bits, each as one number whatever its width. */
function wordsOf(keyType: KeyType, patterns: readonly bigint[]): bigint[] {
  const words = keysToWords(keysOf(keyType, patterns), keyTraits(keyType));
  if (keyTraits(keyType).bits < 64) return Array.from(words, BigInt);
  return patterns.map((_, i) => BigInt(words[2 * i]!) | (BigInt(words[2 * i + 1]!) << 32n));
}

/** The word by the numbers that `keyTransform` publishes for kernels. */
function wordByNumbers(keyType: KeyType, pattern: bigint): bigint {
  const { negative, positive, bias } = keyTransform(keyType);
  const { bits } = keyTraits(keyType);
  const isNegative = pattern >> BigInt(bits - 1) === 1n;
  return BigInt.asUintN(bits, (pattern ^ (isNegative ? negative : positive)) - bias);
}

function roundTrip(keyType: KeyType, patterns: readonly bigint[]): number[] {
  const keys = keysOf(keyType, patterns);
  const back = keysOf(
    keyType,
    patterns.map(() => 0n),
  );
  wordsToKeys(keysToWords(keys, keyTraits(keyType)), back, keyTraits(keyType));
  return [...bitsOf(back)];
}

/** What a word counts for in the order: NaNs, the words from the ceiling on, are ties. */
function rankOf(keyType: KeyType, word: bigint): bigint {
  const { ceiling } = keyTransform(keyType);
  return word < ceiling ? word : ceiling;
}

const isNaNKey = (keyType: KeyType, pattern: bigint): boolean =>
  Number.isNaN(decode(keyType, pattern));

const patternOf = (keyType: KeyType): fc.Arbitrary<bigint> => {
  const { bits } = keyTraits(keyType);
  return fc.oneof(
    fc.bigInt({ min: 0n, max: (1n << BigInt(bits)) - 1n }),
    fc.constantFrom(...boundaryPatterns(keyType)),
  );
};

const narrow = KEY_TYPES.filter((keyType) => keyTraits(keyType).bits <= 16);
const wide = KEY_TYPES.filter((keyType) => keyTraits(keyType).bits > 16);

describe.each(narrow)('%s, all patterns', (keyType) => {
  const patterns = allPatterns(keyType);
  const words = wordsOf(keyType, patterns);
  const values = patterns.map((pattern) => decode(keyType, pattern));

  it('has the order of the values', () => {
    const sorted = [...patterns.keys()].sort((i, j) => compareKeys(values[i]!, values[j]!));
    const wrong = sorted.slice(1).filter((j, at) => {
      const i = sorted[at]!;
      const byWord = rankOf(keyType, words[i]!) < rankOf(keyType, words[j]!);
      return byWord !== compareKeys(values[i]!, values[j]!) < 0;
    });
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('is a bijection with an inverse', () => {
    expect(new Set(words).size).toBe(patterns.length);
    expect(roundTrip(keyType, patterns)).toEqual([...bitsOf(keysOf(keyType, patterns))]);
  });

  it('has NaNs from the ceiling on, and nothing else', () => {
    const { ceiling } = keyTransform(keyType);
    const wrong = patterns.filter((pattern, i) =>
      keyTraits(keyType).kind === 'float'
        ? isNaNKey(keyType, pattern) !== words[i]! >= ceiling
        : words[i]! > ceiling,
    );
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('is the formula of `keyTransform`', () => {
    expect(words).toEqual(patterns.map((pattern) => wordByNumbers(keyType, pattern)));
  });
});

describe.each(wide)('%s', (keyType) => {
  const sameOrder = (a: bigint, b: bigint): boolean => {
    const [wordOfA, wordOfB] = wordsOf(keyType, [a, b]) as [bigint, bigint];
    const byWord = rankOf(keyType, wordOfA) - rankOf(keyType, wordOfB);
    const byValue = compareKeys(decode(keyType, a), decode(keyType, b));
    return Math.sign(Number(byWord)) === byValue;
  };

  it('has the order of the values at every two boundaries', () => {
    const boundaries = boundaryPatterns(keyType);
    const wrong = boundaries.flatMap((a) =>
      boundaries.filter((b) => !sameOrder(a, b)).map((b) => [a, b]),
    );
    expect(wrong.slice(0, 5)).toEqual([]);
  });

  it('has the order of the values at random patterns', () => {
    fc.assert(fc.property(patternOf(keyType), patternOf(keyType), sameOrder), { numRuns: 2000 });
  });

  it('has an inverse', () => {
    fc.assert(
      fc.property(fc.array(patternOf(keyType), { maxLength: 200 }), (patterns) => {
        expect(roundTrip(keyType, patterns)).toEqual([...bitsOf(keysOf(keyType, patterns))]);
      }),
    );
  });

  it('has NaNs from the ceiling on, and nothing else', () => {
    const { ceiling } = keyTransform(keyType);
    fc.assert(
      fc.property(patternOf(keyType), (pattern) => {
        const [word] = wordsOf(keyType, [pattern]) as [bigint];
        if (keyTraits(keyType).kind === 'float') {
          expect(word >= ceiling).toBe(isNaNKey(keyType, pattern));
        } else {
          expect(word <= ceiling).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('is the formula of `keyTransform`', () => {
    fc.assert(
      fc.property(patternOf(keyType), (pattern) => {
        expect(wordsOf(keyType, [pattern])).toEqual([wordByNumbers(keyType, pattern)]);
      }),
      { numRuns: 2000 },
    );
  });
});

test('words of f32, by hand', () => {
  const patterns = [0xff80_0000n, 0x8000_0000n, 0n, 0x7f80_0000n, 0x7f80_0001n, 0xff80_0001n];
  // −Infinity, −0, +0, +Infinity, the first NaN, and the last: the one right below −Infinity.
  expect(wordsOf('f32', patterns)).toEqual([
    0n,
    0x7f80_0000n,
    0x7f80_0001n,
    0xff00_0001n,
    0xff00_0002n,
    0xffff_ffffn,
  ]);
  expect(keyTransform('f32').ceiling).toBe(0xff00_0002n);
});
