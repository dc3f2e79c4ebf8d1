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
  readonly #start: number;
  #done = 0;
  #rate: number | undefined;
  #lengthStart: number;

  constructor(lengths: readonly number[], steps: number, now: number) {
    this.#costs = lengths.map((length) => length + PER_LENGTH);
    this.#steps = steps;
    this.#start = now;
    this.#lengthStart = now;
  }

  /** `step` steps of the `i`th length are done. Time that was spent paused is not to be in `now`. */
  reach(i: number, step: number, now: number): { done: number; left: number | undefined } {
    if (step === 0) this.#lengthStart = now;
    const cost = this.#costs[i] ?? 0;
    const total = this.#costs.reduce((sum, one) => sum + one, 0);
    const before = this.#costs.slice(0, i).reduce((sum, one) => sum + one, 0);
    this.#done = before + (cost * step) / this.#steps;
    if (step > 0) this.#rate = (now - this.#lengthStart) / ((cost * step) / this.#steps);
    const left = this.#rate === undefined ? undefined : (this.#rate * (total - this.#done)) / 1000;
    // Bytes take time, and so does each step: progress is half by one and half by the other.
    const bySteps = (i + step / this.#steps) / this.#costs.length;
    return {
      done: (this.#done / total + bySteps) / 2,
      left: now === this.#start ? undefined : left,
    };
  }
}
