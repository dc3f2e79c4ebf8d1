import { Random } from '@keysweep/core/random';
import { describe, expect, it } from 'vitest';

/** xoshiro128** as its authors' C has it, from the state that a seed gives. */
function* reference(seed: number): Generator<number> {
  let state = seed;
  const s = Uint32Array.from({ length: 4 }, () => {
    state = (state + 0x9e3779b9) | 0;
    let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
    return z ^ (z >>> 16);
  });
  const rotl = (x: number, k: number): number => (x << k) | (x >>> (32 - k));
  for (;;) {
    yield Math.imul(rotl(Math.imul(s[1]!, 5), 7), 9) >>> 0;
    const t = s[1]! << 9;
    s[2]! ^= s[0]!;
    s[3]! ^= s[1]!;
    s[1]! ^= s[2]!;
    s[0]! ^= s[3]!;
    s[2]! ^= t;
    s[3] = rotl(s[3]!, 11);
  }
}

describe('Random', () => {
  it('gives the words of xoshiro128**', () => {
    for (const seed of [0, 1, 0xffffffff]) {
      const random = new Random(seed);
      const words = reference(seed);
      for (let i = 0; i < 1000; i++) expect(random.bits()).toBe(words.next().value);
    }
  });

  it('gives the same words one by one and by fill, which goes on where the other stopped', () => {
    const [one, other] = [new Random(7), new Random(7)];
    one.bits();
    const filled = one.fill(new Uint32Array(1000));
    const words = Array.from({ length: 1001 }, () => other.bits());
    expect([...filled]).toEqual(words.slice(1));
    expect(one.bits()).toBe(other.bits());
  });

  it('fills narrow integers with the low bits of words', () => {
    const words = new Random(7).fill(new Uint32Array(100));
    const bytes = new Random(7).fill(new Uint8Array(100));
    expect([...bytes]).toEqual(Array.from(words, (word) => word & 255));
  });

  it('gives other words for other seeds, whichever of several differs', () => {
    const seeds: readonly [number, ...number[]][] = [
      [1],
      [2],
      [1, 0],
      [1, 1],
      [0, 1],
      [1, 1, 0],
      [1, 0, 1],
    ];
    const first = seeds.map((seed) => new Random(...seed).fill(new Uint32Array(3)).join());
    expect(new Set(first).size).toBe(seeds.length);
    expect(new Random(1, 2).bits()).toBe(new Random(1, 2).bits());
  });

  it('draws from the whole range, and no more', () => {
    const random = new Random(3);
    const drawn = new Set(Array.from({ length: 1000 }, () => random.below(10)));
    expect([...drawn].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const units = Array.from({ length: 1000 }, () => random.unit());
    expect(units.every((unit) => unit >= 0 && unit < 1)).toBe(true);
    expect(units.some((unit) => unit > 0.9) && units.some((unit) => unit < 0.1)).toBe(true);
  });
});
