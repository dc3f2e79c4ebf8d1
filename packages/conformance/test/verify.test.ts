import {
  differenceButNaNs,
  differenceOf,
  faultOfGather,
  faultOfKeys,
  faultOfOrder,
  faultOfSort,
} from '@keysweep/conformance/verify';
import { describe, expect, it } from 'vitest';

const f64 = (...keys: number[]) => Float64Array.from(keys);
const rows = (...indices: number[]) => Uint32Array.from(indices);

/** NaNs by their bits. */
const nans = (...bits: number[]) => new Float32Array(Uint32Array.from(bits).buffer);

describe('differenceOf', () => {
  it('accepts the same bits', () => {
    expect(differenceOf(f64(1, NaN, -0), f64(1, NaN, -0))).toBeUndefined();
    expect(differenceOf(new Uint8Array(0), new Uint8Array(0))).toBeUndefined();
  });

  it('names the first element that differs', () => {
    const expected = new BigInt64Array([1n, 2n, 3n]);
    expect(differenceOf(new BigInt64Array([1n, 2n, 4n]), expected)).toBe(
      'element 2 is 4 (0x0_4) instead of 3 (0x0_3)',
    );
    expect(differenceOf(new BigInt64Array([1n, 2n + (1n << 32n), 3n]), expected)).toBe(
      'element 1 is 4294967298 (0x1_2) instead of 2 (0x0_2)',
    );
    expect(differenceOf(rows(7), rows(9))).toBe('element 0 is 7 (0x7) instead of 9 (0x9)');
  });

  it('distinguishes zeros of different signs, and NaNs of different bits', () => {
    expect(differenceOf(new Float32Array([-0]), new Float32Array([0]))).toMatch(/^element 0/);
    expect(differenceOf(nans(0x7fc00001), nans(0x7fc00000))).toMatch(/^element 0/);
  });

  it('distinguishes lengths and widths', () => {
    expect(differenceOf(new Uint8Array(3), new Uint8Array(4))).toBe('3 bytes instead of 4');
    expect(differenceOf(new Uint8Array(4), new Uint16Array(4))).toBe('4 bytes instead of 8');
  });
});

describe('differenceButNaNs', () => {
  it('accepts NaNs in another order', () => {
    const [a, b] = [0x7fc00001, 0xffc00002];
    expect(differenceButNaNs(nans(0, a, b), nans(0, b, a))).toBeUndefined();
    const wide = (...bits: bigint[]) => new Float64Array(BigUint64Array.from(bits).buffer);
    const [c, d] = [0x7ff8_0000_0000_0001n, 0xfff8_0001_0000_0000n];
    expect(differenceButNaNs(wide(c, d, d), wide(d, d, c))).toBeUndefined();
  });

  it('rejects NaNs whose bits were lost, and numbers that differ', () => {
    expect(differenceButNaNs(nans(0x7fc00000), nans(0x7fc00001))).toMatch(/NaNs have other bits/);
    expect(differenceButNaNs(nans(0x7fc00000), nans(0))).toMatch(/^element 0 is NaN/);
    expect(differenceButNaNs(f64(0), f64(-0))).toMatch(/^element 0/);
    expect(differenceButNaNs(f64(1, 2), f64(1, 2, 3))).toMatch(/bytes/);
  });
});

describe('faultOfGather', () => {
  it('accepts the bits of the rows that are named', () => {
    expect(faultOfGather(f64(3, 1, 1), f64(1, 2, 3), rows(2, 0, 0))).toBeUndefined();
  });

  it.each([
    ['another element', f64(3, 2), rows(2, 0), 'element 1 is 2 .* but row 0 is 1 '],
    ['another zero', f64(-0), rows(3), 'element 0 is 0 .* but row 3 is 0 '],
    ['a row that is none', f64(3), rows(9), 'element 0 is 3 .* but row 9 is undefined'],
    ['too few elements', f64(3), rows(2, 0), '1 elements instead of 2'],
  ])('rejects %s', (_, actual, order, fault) => {
    expect(faultOfGather(actual, f64(1, 2, 3, 0), order)).toMatch(new RegExp(fault));
  });
});

describe('faultOfSort', () => {
  const [a, b] = [0x7fc00001, 0xffc00002];

  it('accepts NaNs of a segment in any order', () => {
    expect(faultOfSort(nans(0, b, a), nans(b, a, 0), rows(2, 1, 0))).toBeUndefined();
    const segments = rows(0, 2);
    const order = rows(0, 1, 2, 3);
    const keys = nans(a, b, a, b);
    expect(faultOfSort(nans(b, a, b, a), keys, order, segments)).toBeUndefined();
    expect(faultOfSort(nans(b, b, a, a), keys, order, segments)).toMatch(/from 0 to 2: NaNs/);
  });

  it('rejects other keys, NaNs that changed, and lengths that differ', () => {
    expect(faultOfSort(f64(1, 3), f64(2, 1), rows(1, 0))).toMatch(/element 1 is 3/);
    expect(faultOfSort(nans(a, a), nans(a, b), rows(0, 1))).toMatch(/NaNs have other bits/);
    expect(faultOfSort(f64(1), f64(1, 2), rows(0, 1))).toMatch(/1 elements instead of 2/);
  });
});

describe('faultOfOrder', () => {
  const major = new Uint8Array([2, 1, 2, 1]);
  const minor = new Float32Array([5, 7, 4, 7]);

  it('accepts the stable order, of one column or of several', () => {
    expect(faultOfOrder([major], rows(1, 3, 0, 2))).toBeUndefined();
    expect(faultOfOrder([major, minor], rows(1, 3, 2, 0))).toBeUndefined();
    expect(faultOfOrder([new BigInt64Array([3n, -1n])], rows(1, 0))).toBeUndefined();
    expect(faultOfOrder([new Uint8Array(0)], rows())).toBeUndefined();
  });

  it('accepts a stable order that is descending, of segments, or by some bits', () => {
    expect(faultOfOrder([major], rows(0, 2, 1, 3), { order: 'descending' })).toBeUndefined();
    expect(faultOfOrder([major], rows(1, 0, 3, 2), { segments: rows(0, 2) })).toBeUndefined();
    expect(
      faultOfOrder([rows(5, 3, 6)], rows(1, 0, 2), { keyBits: { begin: 2, end: 3 } }),
    ).toBeUndefined();
    expect(faultOfOrder([f64(NaN, 0, -0, NaN)], rows(2, 1, 0, 3))).toBeUndefined();
  });

  it.each([
    ['descents', [major], [0, 1, 3, 2], {}, 'row 0 at 0 comes before row 1, which'],
    ['descents of a later column', [major, minor], [1, 3, 0, 2], {}, 'comes before row 2, which'],
    ['ties out of order', [major], [3, 1, 0, 2], {}, 'row 3 at 0 comes before row 1, which'],
    ['rows that come twice', [major], [1, 1, 0, 2], {}, 'row 1 at 0 comes before row 1, which'],
    ['rows that are none', [major], [1, 3, 0, 4], {}, 'row 4 at 3 is not of its segment'],
    [
      'rows of another segment',
      [major],
      [1, 2, 0, 3],
      { segments: rows(0, 2) },
      'row 2 at 1 is not of its segment',
    ],
    ['missing rows', [major], [1, 3, 0], {}, '3 rows instead of 4'],
    ['the other order', [major], [1, 3, 0, 2], { order: 'descending' }, 'row 3 at 1 comes before'],
    ['zeros as equals', [f64(0, -0)], [0, 1], {}, 'row 0 at 0 comes before row 1, which'],
  ] as const)('rejects %s', (_, columns, order, options, fault) => {
    expect(faultOfOrder(columns, rows(...order), options)).toContain(fault);
  });
});

describe('faultOfKeys', () => {
  const input = f64(3, -1, NaN, 3, 2);

  it('accepts the keys of the input in order', () => {
    expect(faultOfKeys(f64(-1, 2, 3, 3, NaN), input)).toBeUndefined();
    const order = 'descending';
    expect(faultOfKeys(f64(NaN, 3, 3, 2, -1), input, { order })).toBeUndefined();
    expect(
      faultOfKeys(rows(3, 5, 6), rows(6, 5, 3), { keyBits: { begin: 2, end: 3 } }),
    ).toBeUndefined();
  });

  it.each([
    ['keys out of order', f64(-1, 3, 2, 3, NaN), 'element 2 is 2 .* behind 3'],
    ['a NaN before a number', f64(-1, 2, 3, NaN, 3), 'element 4 is 3 .* behind NaN'],
    ['other keys', f64(-1, 2, 2, 3, NaN), 'other keys than in the input'],
    ['too few keys', f64(-1), '8 bytes instead of 40'],
  ])('rejects %s', (_, keys, fault) => {
    expect(faultOfKeys(keys, input)).toMatch(new RegExp(fault));
  });
});
