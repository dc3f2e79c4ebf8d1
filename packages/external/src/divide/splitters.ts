/**
 * Splitters: n − 1 pairs of a key and a place in the file that divide records into n parts. Places
 * decide among equal keys, so that many equal keys are divided like others.
 */

/** Parts that a byte can name. It is also fewer than the files that a process may have open. */
export const MAX_PARTS = 256;

/** Cells of the range of splitters: most keys fall into one that no splitter divides. */
const CELLS = 4096;

/** The first two words of a key as one number: never less for a larger key. */
const scaled = (high: number, low: number): number => high * 2 ** 32 + low;

/** Pairs of key words and places, in order. */
export interface Pairs {
  /** One array a word, the most significant first. */
  readonly words: readonly Uint32Array[];
  readonly places: Float64Array;
}

export class Splitters {
  /** Parts that they divide into. */
  readonly parts: number;
  readonly pairs: Pairs;
  readonly #least: number;
  readonly #most: number;
  readonly #scale: number;
  /** For each cell the number of splitters below it, and with the cell's own. */
  readonly #below = new Uint16Array(CELLS);
  readonly #within = new Uint16Array(CELLS);

  /** Takes at least one pair, and fewer than MAX_PARTS. */
  constructor(pairs: Pairs) {
    this.pairs = pairs;
    this.parts = pairs.places.length + 1;
    const numbers = Array.from(pairs.places, (_, i) => this.#numberOf(pairs.words, i));
    [this.#least, this.#most] = [numbers[0] as number, numbers.at(-1) as number];
    this.#scale = this.#most > this.#least ? (CELLS - 1) / (this.#most - this.#least) : 0;
    const cells = numbers.map((number) => this.#cellOf(number));
    for (let cell = 0, below = 0; cell < CELLS; cell++) {
      this.#below[cell] = below;
      while (below < cells.length && cells[below] === cell) below++;
      this.#within[cell] = below;
    }
  }

  #numberOf([first, second]: readonly Uint32Array[], i: number): number {
    const high = (first as Uint32Array)[i] as number;
    return second === undefined ? high : scaled(high, second[i] as number);
  }

  readonly #cellOf = (number: number): number => Math.floor((number - this.#least) * this.#scale);

  /**
   * Writes the part of each of `count` records to `parts`, beginning at `at`, and counts them in
   * `counts`. The first record's place in the file is `place`, the others follow it.
   */
  classify(
    words: readonly Uint32Array[],
    place: number,
    parts: Uint8Array,
    at: number,
    counts: Uint32Array,
  ): void {
    const [first, second] = words as [Uint32Array, Uint32Array | undefined];
    const [least, most, scale] = [this.#least, this.#most, this.#scale];
    const [below, within] = [this.#below, this.#within];
    const last = this.parts - 1;
    for (let i = 0; i < first.length; i++) {
      const high = first[i] as number;
      const number = second === undefined ? high : high * 2 ** 32 + (second[i] as number);
      let part = 0;
      if (number > most) part = last;
      else if (number >= least) {
        const cell = Math.floor((number - least) * scale);
        part = below[cell] as number;
        const end = within[cell] as number;
        if (part < end) part = this.#search(words, i, place + i, part, end);
      }
      parts[at + i] = part;
      counts[part] = (counts[part] as number) + 1;
    }
  }

  /** The number of splitters that are not above record `i`, which is from `part` to `end`. */
  #search(
    words: readonly Uint32Array[],
    i: number,
    place: number,
    part: number,
    end: number,
  ): number {
    let [low, high] = [part, end];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isAbove(middle, words, i, place)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #isAbove(splitter: number, words: readonly Uint32Array[], i: number, place: number): boolean {
    for (let word = 0; word < words.length; word++) {
      const ours = (this.pairs.words[word] as Uint32Array)[splitter] as number;
      const given = (words[word] as Uint32Array)[i] as number;
      if (ours !== given) return ours > given;
    }
    return (this.pairs.places[splitter] as number) > place;
  }
}
