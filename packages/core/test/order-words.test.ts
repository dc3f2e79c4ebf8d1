import {
  areOrderWords,
  KEY_TYPES,
  type KeyBits,
  type KeyType,
  keyTraits,
  type OrderedColumn,
  orderWords,
  roomForWords,
} from '@keysweep/core';
import { compareKeys } from '@keysweep/core/oracle';
import { describe, expect, it } from 'vitest';
import { boundaryPatterns, decode, keysOf } from './patterns.js';

/** The words of a column, each as one number whatever its width. */
function wordsOf(column: OrderedColumn): bigint[] {
  const { length } = column.keys;
  const { lows, highs } = orderWords(column, roomForWords(column, length + 2), 2);
  expect(lows.length).toBe(length);
  return Array.from(lows, (low, i) => (BigInt(highs[i] ?? 0) << 32n) | BigInt(low));
}

const sign = (difference: bigint): number => Number(difference > 0n) - Number(difference < 0n);

// Node 20 has no Float16Array, and a Uint16Array is none.
describe.each(KEY_TYPES.filter((keyType) => keyType !== 'f16'))('%s', (keyType: KeyType) => {
  const patterns = boundaryPatterns(keyType);
  const keys = keysOf(keyType, patterns);
  const values = patterns.map((pattern) => decode(keyType, pattern));

  it.each(['ascending', 'descending'] as const)('words are in the order of keys, %s', (order) => {
    const words = wordsOf({ keys, order });
    for (const [i, a] of values.entries()) {
      for (const [j, b] of values.entries()) {
        const expected = order === 'ascending' ? compareKeys(a, b) : compareKeys(b, a);
        const found = sign((words[i] as bigint) - (words[j] as bigint));
        if (found !== expected) {
          throw new Error(`${a} (${patterns[i]}) and ${b} (${patterns[j]}): ${found}`);
        }
      }
    }
  });

  it('differ if keys differ', () => {
    expect(areOrderWords({ keys, order: 'ascending' })).toBe(keyType === 'u32');
    expect(areOrderWords({ keys, order: 'descending' })).toBe(false);
  });

  if (keyTraits(keyType).kind !== 'unsigned') return;

  it('hold the deciding bits alone', () => {
    const { bits } = keyTraits(keyType);
    const ranges: KeyBits[] = [
      { begin: 0, end: bits },
      { begin: 1, end: bits - 1 },
      { begin: bits / 2, end: bits },
      { begin: 3, end: 3 },
    ];
    for (const keyBits of ranges) {
      const mask = (1n << BigInt(keyBits.end)) - (1n << BigInt(keyBits.begin));
      const up = wordsOf({ keys, order: 'ascending', keyBits });
      expect(up).toEqual(patterns.map((pattern) => pattern & mask));
      const down = wordsOf({ keys, order: 'descending', keyBits });
      expect(down).toEqual(patterns.map((pattern) => ~pattern & mask));
    }
  });
});
