/** Two ways to do the same, of which the quicker one is found by using both. */

export type Way = 'cached' | 'direct';

/** The slower way is tried again when the quicker one has taken so many times as long as that. */
const PATIENCE = 32;

export class Race {
  /** Milliseconds a byte, lately; 0 until a way was used. */
  readonly #cost: Record<Way, number> = { cached: 0, direct: 0 };
  /** Milliseconds of the quicker way before the slower one is tried again. */
  #left = 0;

  /** The way to use now. */
  next(): Way {
    const slower = this.#slower();
    if (this.#left > 0) return slower === 'cached' ? 'direct' : 'cached';
    // Once, until it is known how long it took.
    this.#left = Number.POSITIVE_INFINITY;
    return slower;
  }

  /** Notes how long so many bytes took. */
  note(way: Way, bytes: number, milliseconds: number): void {
    const cost = milliseconds / bytes;
    this.#cost[way] = this.#cost[way] === 0 ? cost : (this.#cost[way] + cost) / 2;
    this.#left = way === this.#slower() ? PATIENCE * milliseconds : this.#left - milliseconds;
  }

  #slower(): Way {
    return this.#cost.direct > this.#cost.cached ? 'direct' : 'cached';
  }
}
