/** How far a run is, and how long it still takes. Pure, but for the clock that is handed in. */

/** Keys that stand for what a length costs apart from its keys. */
const PER_LENGTH = 20_000;

/**
 * Follows a run over `lengths`, each cut into `steps` equal steps. What is left is reckoned by what the latest step cost a key:
 * short arrays say little of long ones.
 */
export class Pace {
  readonly #costs: readonly number[];
  readonly #steps: number;
  readonly #total: number;
  /** Milliseconds for a unit of cost, lately. */
  #rate: number | undefined;
  /** When the present length was begun. */
  #begun: number;

  constructor(lengths: readonly number[], steps: number, now: number) {
    this.#costs = lengths.map((length) => length + PER_LENGTH);
    this.#steps = steps;
    this.#total = this.#costs.reduce((sum, cost) => sum + cost, 0);
    this.#begun = now;
  }

  /** `step` steps of the `i`th length are done. Time that was spent paused is not to be in `now`. */
  reach(i: number, step: number, now: number): { done: number; left: number | undefined } {
    const share = step / this.#steps;
    const cost = this.#costs[i] ?? 0;
    const spent = now - this.#begun;
    if (step > 0) this.#rate = spent / (cost * share);
    else if (i > 0) this.#rate = spent / (this.#costs[i - 1] ?? Number.NaN);
    if (step === 0) this.#begun = now;
    const before = this.#costs.slice(0, i).reduce((sum, one) => sum + one, 0);
    const done = before + cost * share;
    return {
      // Keys take time, and so does each step: half of it is by one and half by the other.
      done: (done / this.#total + (i + share) / this.#costs.length) / 2,
      left: this.#rate === undefined ? undefined : (this.#rate * (this.#total - done)) / 1000,
    };
  }
}
