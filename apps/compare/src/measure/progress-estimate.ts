/** How far a run is, and how long it still takes. Pure: the time is an argument. */

/** The cost of a length apart from its keys, in keys. */
const COST_PER_LENGTH = 20_000;

/**
 * Follows a run over `lengths`, each cut into `steps` equal steps. The time left is estimated from
 * the latest step's time a key, because short arrays say little about long ones.
 */
export class ProgressEstimate {
  readonly #costs: readonly number[];
  readonly #steps: number;
  readonly #total: number;
  /** Milliseconds for a unit of cost, in the latest steps. */
  #rate: number | undefined;
  /** When the present length was begun. */
  #begun: number;

  constructor(lengths: readonly number[], steps: number, now: number) {
    this.#costs = lengths.map((length) => length + COST_PER_LENGTH);
    this.#steps = steps;
    this.#total = this.#costs.reduce((sum, cost) => sum + cost, 0);
    this.#begun = now;
  }

  /**
   * The share done (0 to 1) and the seconds left when `step` steps of length number `i` are done.
   * `now` is in milliseconds, less the time that the run was paused.
   */
  update(i: number, step: number, now: number): { done: number; left: number | undefined } {
    const share = step / this.#steps;
    const cost = this.#costs[i] ?? 0;
    const spent = now - this.#begun;
    if (step > 0) this.#rate = spent / (cost * share);
    else if (i > 0) this.#rate = spent / (this.#costs[i - 1] ?? Number.NaN);
    if (step === 0) this.#begun = now;
    const before = this.#costs.slice(0, i).reduce((sum, one) => sum + one, 0);
    const done = before + cost * share;
    return {
      // Keys take time, and so does each step: half of the bar is for each.
      done: (done / this.#total + (i + share) / this.#costs.length) / 2,
      left: this.#rate === undefined ? undefined : (this.#rate * (this.#total - done)) / 1000,
    };
  }
}
