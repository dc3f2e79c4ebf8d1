import { compareKeys, oraclePermutation, segmentBounds } from '@keysweep/core/oracle';
import { describe, expect, it, test } from 'vitest';

const order = (...args: Parameters<typeof oraclePermutation>): number[] => [
  ...oraclePermutation(...args),
];

test('compareKeys is the order of TypedArray.prototype.sort', () => {
  const ascending = [Number.NEGATIVE_INFINITY, -1, -5e-324, -0, 0, 5e-324, 1, Infinity, Number.NaN];
  for (const [i, a] of ascending.entries()) {
    for (const [j, b] of ascending.entries()) {
      expect(compareKeys(a, b), `${i} and ${j}`).toBe(Math.sign(i - j));
    }
  }
  expect(compareKeys(-1n, 2n)).toBe(-1);
  expect(compareKeys(2n ** 63n, 2n ** 63n - 1n)).toBe(1);
  expect(compareKeys(3n, 3n)).toBe(0);
});

describe('oraclePermutation', () => {
  it('sorts and is stable', () => {
    expect(order([Int8Array.of(3, -1, 3, 0, -1)])).toEqual([1, 4, 3, 0, 2]);
  });

  it('is stable in descending order too', () => {
    expect(order([Int8Array.of(3, -1, 3, 0, -1)], { order: 'descending' })).toEqual([
      0, 2, 3, 1, 4,
    ]);
  });

  it('puts −0 before +0 and NaNs last, as ties', () => {
    const bits = Uint32Array.of(0xffc0_0000, 0, 0x7fc0_0001, 0x8000_0000, 0xff80_0000, 0x7f80_0000);
    const keys = new Float32Array(bits.buffer);
    expect(order([keys])).toEqual([4, 3, 1, 5, 0, 2]);
    expect(order([keys], { order: 'descending' })).toEqual([0, 2, 5, 1, 3, 4]);
  });

  it('compares 64-bit keys whole', () => {
    expect(order([BigUint64Array.of(2n ** 63n, 1n, 2n ** 63n - 1n, 0n)])).toEqual([3, 1, 2, 0]);
    expect(order([BigInt64Array.of(-(2n ** 63n), 1n, -1n, 0n)])).toEqual([0, 2, 3, 1]);
  });

  it('compares the next column if one is equal', () => {
    const major = Uint8Array.of(1, 0, 1, 0, 1);
    const minor = Float64Array.of(2, 5, 1, Number.NaN, 2);
    expect(order([major, minor])).toEqual([1, 3, 2, 0, 4]);
    expect(order([major, minor], { order: 'descending' })).toEqual([0, 4, 2, 3, 1]);
  });

  it('sorts segments on their own', () => {
    const keys = Uint16Array.of(5, 4, 3, 2, 1, 0);
    expect(order([keys], { segments: Uint32Array.of(0, 2, 2, 5) })).toEqual([1, 0, 4, 3, 2, 5]);
    expect(order([keys], { segments: Uint32Array.of(0, 0, 6, 6) })).toEqual([5, 4, 3, 2, 1, 0]);
    expect(order([keys], { segments: Uint32Array.of(0), order: 'descending' })).toEqual([
      0, 1, 2, 3, 4, 5,
    ]);
  });

  it('compares the chosen bits alone', () => {
    const keys = Uint8Array.of(0b1110_0001, 0b0000_0111, 0b0111_0000, 0b1111_0010);
    expect(order([keys], { keyBits: { begin: 1, end: 3 } })).toEqual([0, 2, 3, 1]);
    expect(order([keys], { keyBits: { begin: 4, end: 4 } })).toEqual([0, 1, 2, 3]);
    const wide = BigUint64Array.of(1n << 63n, 1n << 33n, 1n << 32n, 5n);
    expect(order([wide], { keyBits: { begin: 32, end: 63 } })).toEqual([0, 3, 2, 1]);
  });

  it('sorts no key and one key', () => {
    expect(order([new Float32Array(0)])).toEqual([]);
    expect(order([Float32Array.of(1)])).toEqual([0]);
  });
});

test('segmentBounds', () => {
  expect(segmentBounds(5, undefined)).toEqual([[0, 5]]);
  expect(segmentBounds(5, Uint32Array.of(0, 3, 3, 5))).toEqual([
    [0, 3],
    [3, 3],
    [3, 5],
    [5, 5],
  ]);
});
