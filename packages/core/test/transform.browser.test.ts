import {
  bitsOf,
  KEY_TYPES,
  type KeyType,
  keysToWords,
  keyTraits,
  wordsToKeys,
} from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { describe, expect, it, test } from 'vitest';
import { boundaryPatterns, keysOf } from './patterns.js';

/** The word of key i as one number. */
function wordAt(words: Uint32Array, i: number, keyType: KeyType): bigint {
  if (keyTraits(keyType).bits < 64) return BigInt(words[i]!);
  return BigInt(words[2 * i]!) | (BigInt(words[2 * i + 1]!) << 32n);
}

test('the page is isolated, so that memory can be shared with workers', () => {
  expect(crossOriginIsolated).toBe(true);
});

describe.each(KEY_TYPES)('the words of %s in a browser', (keyType) => {
  const traits = keyTraits(keyType);
  const patterns = boundaryPatterns(keyType);
  const bits = keysOf(keyType, patterns);

  it('sort as the browser sorts the keys', (ctx) => {
    if (keyType === 'f16' && !('Float16Array' in globalThis)) ctx.skip('no Float16Array here');
    const keys = keyType === 'f16' ? new Float16Array(bits.buffer as ArrayBuffer) : bits;
    const words = keysToWords(keys, traits);
    const byWord = [...patterns.keys()].sort((i, j) => {
      const [a, b] = [wordAt(words, i, keyType), wordAt(words, j, keyType)];
      return a < b ? -1 : Number(a > b);
    });
    const sorted = byWord.map((i) => keys[i] as number | bigint);
    const builtIn = Array.from(keys.slice().sort() as ArrayLike<number | bigint>);
    expect(sorted.map((key, i) => compareKeys(key, builtIn[i]!))).toEqual(sorted.map(() => 0));
  });

  it('have an inverse', () => {
    const back = keysOf(
      keyType,
      patterns.map(() => 0n),
    );
    wordsToKeys(keysToWords(bits, traits), back, traits);
    expect([...bitsOf(back)]).toEqual([...bitsOf(bits)]);
  });
});
