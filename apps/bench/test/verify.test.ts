import { describe, expect, it } from 'vitest';
import { differenceOf, disorderOf } from '../src/measure/verify.js';

describe('differenceOf', () => {
  it('accepts the same bits', () => {
    expect(differenceOf(new Float64Array([1, NaN, -0]), new Float64Array([1, NaN, -0]))).toBe(
      undefined,
    );
    expect(differenceOf(new Uint8Array(0), new Uint8Array(0))).toBe(undefined);
  });

  it('names the first element that differs', () => {
    const expected = new BigInt64Array([1n, 2n, 3n]);
    expect(differenceOf(new BigInt64Array([1n, 2n, 4n]), expected)).toBe(
      'element 2 is 4 instead of 3',
    );
    // The upper word of a 64-bit element counts too.
    expect(differenceOf(new BigInt64Array([1n, 2n + (1n << 32n), 3n]), expected)).toBe(
      'element 1 is 4294967298 instead of 2',
    );
    expect(differenceOf(new Uint32Array([7]), new Uint32Array([9]))).toBe(
      'element 0 is 7 instead of 9',
    );
  });

  it('tells zeros of different signs, and NaNs of different bits, apart', () => {
    expect(differenceOf(new Float32Array([-0]), new Float32Array([0]))).toMatch(/^element 0/);
    const payload = new Float32Array(new Uint32Array([0x7fc00001]).buffer);
    expect(differenceOf(payload, new Float32Array([NaN]))).toMatch(/^element 0/);
  });

  it('tells lengths and widths apart', () => {
    expect(differenceOf(new Uint8Array(3), new Uint8Array(4))).toBe('3 bytes instead of 4');
    expect(differenceOf(new Uint8Array(4), new Uint16Array(4))).toBe('4 bytes instead of 8');
  });
});

describe('disorderOf', () => {
  const major = new Uint8Array([2, 1, 2, 1]);
  const minor = new Float32Array([5, 7, 4, 7]);

  it('accepts the stable order, of one column or of several', () => {
    expect(disorderOf([major], new Uint32Array([1, 3, 0, 2]))).toBe(undefined);
    expect(disorderOf([major, minor], new Uint32Array([1, 3, 2, 0]))).toBe(undefined);
    expect(disorderOf([new BigInt64Array([3n, -1n])], new Uint32Array([1, 0]))).toBe(undefined);
    expect(disorderOf([new Uint8Array(0)], new Uint32Array(0))).toBe(undefined);
  });

  it.each([
    ['descents', [major], [0, 1, 3, 2], 'row 0 comes before row 1, which has to come first'],
    ['descents of a later column', [major, minor], [1, 3, 0, 2], 'row 0 comes before row 2'],
    ['ties out of order', [major], [3, 1, 0, 2], 'row 3 comes before row 1'],
    ['rows that come twice', [major], [1, 1, 0, 2], 'row 1 comes before row 1'],
    ['rows that are none', [major], [1, 3, 0, 4], 'position 4 is outside of the 4 rows'],
    ['missing rows', [major], [1, 3, 0], '3 positions instead of 4'],
  ])('rejects %s', (_, columns, order, fault) => {
    expect(disorderOf(columns, new Uint32Array(order))).toContain(fault);
  });
});
