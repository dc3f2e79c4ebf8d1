/** Large arrays are compared quickly, and as Vitest compares them. */

import { describe, expect, it } from 'vitest';

/** Whether `toEqual` and `toStrictEqual` take the two for equal. */
function verdicts(a: unknown, b: unknown): readonly [equal: boolean, strictly: boolean] {
  const passes = (check: () => void): boolean => {
    try {
      check();
      return true;
    } catch {
      return false;
    }
  };
  return [passes(() => expect(a).toEqual(b)), passes(() => expect(a).toStrictEqual(b))];
}

const [both, neither, loosely] = [
  [true, true],
  [false, false],
  [true, false],
] as const;

describe('typed arrays', () => {
  it('are equal by their elements, wherever they lie', () => {
    const shared = new Uint32Array(new SharedArrayBuffer(12), 4, 2);
    shared.set([7, 2 ** 32 - 1]);
    expect(verdicts(shared, Uint32Array.of(7, 2 ** 32 - 1))).toEqual(both);
    expect(verdicts(Uint32Array.of(7, 8), Uint32Array.of(7, 9))).toEqual(neither);
    expect(verdicts(Uint32Array.of(7), Uint32Array.of(7, 0))).toEqual(neither);
    expect(verdicts(BigInt64Array.of(-1n), BigInt64Array.of(-1n))).toEqual(both);
  });

  it('of other classes are not, though their bytes are the same', () => {
    expect(verdicts(Uint32Array.of(7), Int32Array.of(7))).toEqual(neither);
    expect(verdicts(Float32Array.of(0), Uint32Array.of(0))).toEqual(neither);
  });

  it('of floats: zeros of both signs differ, and NaNs of any bits are the same', () => {
    expect(verdicts(Float32Array.of(0), Float32Array.of(-0))).toEqual(neither);
    const quiet = new Float32Array(Uint32Array.of(0x7fc00000).buffer);
    const other = new Float32Array(Uint32Array.of(0xffc00001).buffer);
    expect(verdicts(quiet, other)).toEqual(both);
  });

  it('are found in other values', () => {
    expect(verdicts({ a: [Uint8Array.of(1)] }, { a: [Uint8Array.of(1)] })).toEqual(both);
    expect(verdicts({ a: [Uint8Array.of(1)] }, { a: [Uint8Array.of(2)] })).toEqual(neither);
  });
});

describe('arrays', () => {
  it('are equal by their elements', () => {
    expect(verdicts([1, 'a', Number.NaN], [1, 'a', Number.NaN])).toEqual(both);
    expect(verdicts([1, 2], [1, 3])).toEqual(neither);
    expect(verdicts([1], [1, undefined])).toEqual(neither);
    expect(verdicts([0], [-0])).toEqual(neither);
    expect(verdicts([{ a: 1 }], [{ a: 1 }])).toEqual(both);
    expect(verdicts([1], [expect.any(Number)])).toEqual(both);
  });

  it('with a gap are strictly other ones than with an undefined', () => {
    // biome-ignore lint/suspicious/noSparseArray: It is what the test is about.
    expect(verdicts([1, , 2], [1, undefined, 2])).toEqual(loosely);
  });
});
