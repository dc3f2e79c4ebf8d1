import { commit, gather, identity } from '@keysweep/core';
import { describe, expect, it } from 'vitest';

describe('identity', () => {
  it('counts from 0', () => {
    expect(identity(0)).toEqual(new Uint32Array(0));
    expect(identity(3)).toEqual(Uint32Array.of(0, 1, 2));
  });
});

describe('gather', () => {
  it.each([
    [Uint8Array.of(10, 20, 30), Uint8Array.of(30, 10, 20)],
    [Int16Array.of(-1, 2, -3), Int16Array.of(-3, -1, 2)],
    [Float32Array.of(Number.NaN, -0, 1.5), Float32Array.of(1.5, Number.NaN, -0)],
    [Float64Array.of(0.1, 0.2, 0.3), Float64Array.of(0.3, 0.1, 0.2)],
    [BigInt64Array.of(-1n, 2n ** 40n, 7n), BigInt64Array.of(7n, -1n, 2n ** 40n)],
  ])('brings %o into the order of a permutation, without writing it', (target, expected) => {
    const before = target.slice();
    const result = gather('values', target, Uint32Array.of(2, 0, 1));
    expect(target).toEqual(before);
    commit([result]);
    expect(target).toEqual(expected);
  });
});
