/**
 * @keysweep/core/random: random numbers that can be repeated, for measuring and for tests. Not for
 * secrets.
 *
 * The generator is xoshiro128** (Blackman and Vigna, "Scrambled linear pseudorandom number
 * generators", 2018), with its state filled by a 32-bit variant of splitmix.
 */

/** A generator of random 32-bit words. Equal seeds give equal words. */
export class Random {
  /** The first seed, for messages that say how to repeat a run. */
  readonly seed: number;
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  /** Takes one or several seeds of 32 bits, such as a run's seed and the number of a sample. */
  constructor(seed: number, ...more: readonly number[]) {
    this.seed = seed >>> 0;
    let state = this.seed;
    const next = (): number => {
      state = (state + 0x9e3779b9) | 0;
      return mixed(state);
    };
    for (const word of more) state = mixed(state + 0x9e3779b9) ^ word;
    [this.#a, this.#b, this.#c, this.#d] = [next(), next(), next(), next()];
  }

  /** The next 32 random bits, as a whole number from 0 to 2^32 - 1. */
  bits(): number {
    const [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d];
    const scrambled = Math.imul(b, 5);
    this.#c = c ^ a ^ (b << 9);
    this.#d = rotated(d ^ b, 11);
    this.#b = b ^ c ^ a;
    this.#a = a ^ d ^ b;
    return Math.imul(rotated(scrambled, 7), 9) >>> 0;
  }

  /** A whole number from 0 to `limit` - 1; `limit` is at most 2^32. */
  below(limit: number): number {
    return Math.floor(this.unit() * limit);
  }

  /** A multiple of 2^-32 in [0, 1). */
  unit(): number {
    return this.bits() / 2 ** 32;
  }

  /** Sets all elements to random bits, each to the low bits of a word. Returns `target`. */
  fill<T extends Uint8Array | Uint16Array | Uint32Array>(target: T): T {
    let [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d];
    for (let i = 0; i < target.length; i++) {
      target[i] = Math.imul(rotated(Math.imul(b, 5), 7), 9);
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = rotated(d, 11);
    }
    [this.#a, this.#b, this.#c, this.#d] = [a, b, c, d];
    return target;
  }
}

/** `word` rotated to the left. */
const rotated = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));

/** A permutation of 32-bit words in which every bit depends on all others: murmur3's last step. */
function mixed(word: number): number {
  let z = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return z ^ (z >>> 16);
}
