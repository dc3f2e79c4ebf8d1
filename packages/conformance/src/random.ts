/**
 * Random numbers that can be repeated: xoshiro128** (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2018), seeded by splitmix32.
 */

export class Random {
  readonly seed: number;
  readonly #state: Uint32Array;

  constructor(seed: number) {
    this.seed = seed >>> 0;
    let x = this.seed;
    this.#state = Uint32Array.from({ length: 4 }, () => {
      x = (x + 0x9e3779b9) | 0;
      let z = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return z ^ (z >>> 16);
    });
  }

  /** The next 32 random bits. */
  bits(): number {
    const s = this.#state;
    const [a, b, c, d] = [s[0] as number, s[1] as number, s[2] as number, s[3] as number];
    const scrambled = Math.imul(b, 5);
    const result = Math.imul((scrambled << 7) | (scrambled >>> 25), 9) >>> 0;
    s[2] = c ^ a;
    s[3] = d ^ b;
    s[1] = b ^ (s[2] as number);
    s[0] = a ^ (s[3] as number);
    s[2] = (s[2] as number) ^ (b << 9);
    s[3] = ((s[3] as number) << 11) | ((s[3] as number) >>> 21);
    return result;
  }

  /** A whole number from 0 to `limit` - 1; `limit` is at most 2^32. */
  below(limit: number): number {
    return Math.floor((this.bits() / 2 ** 32) * limit);
  }

  /** A number in [0, 1). */
  unit(): number {
    return this.bits() / 2 ** 32;
  }
}

type Environment = Record<string, string | undefined>;

/** The process's environment. A page has none: Vite puts what it is given of one elsewhere. */
export function environment(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } };
  return process?.env ?? (import.meta as { env?: Environment }).env ?? {};
}

/** The seed of this run: KEYSWEEP_SEED where it is set, else a new one each time. */
export function runSeed(): number {
  const given = environment().KEYSWEEP_SEED;
  return given === undefined ? Math.floor(Math.random() * 2 ** 32) : Number(given) >>> 0;
}
