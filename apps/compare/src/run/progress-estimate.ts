/** How far a run is, and how long it still takes. Pure: the time is an argument. */

/** Milliseconds for which the first guess is trusted as much as what was measured. */
const TRUST = 500;

/**
 * Follows a run over lengths, each cut into `steps` equal steps. `costs` are the milliseconds that
 * each length should take. The time left is theirs, times how much longer than that it took so far.
 */
export class ProgressEstimate {
  readonly #costs: readonly number[];
  readonly #steps: number;
  /** Milliseconds that all lengths should take. */
  readonly total: number;
  #begun: number;

  constructor(costs: readonly number[], steps: number, now: number) {
    this.#costs = costs;
    this.#steps = steps;
    this.total = costs.reduce((sum, cost) => sum + cost, 0);
    this.#begun = now;
  }

  /** The first length begins. `now` is in milliseconds, less the time that the run was paused. */
  begin(now: number): void {
    this.#begun = now;
  }

  /** The share done (0 to 1) and the seconds left after `step` steps of length number `i`. */
  update(i: number, step: number, now: number): { done: number; left: number } {
    const before = this.#costs.slice(0, i).reduce((sum, cost) => sum + cost, 0);
    const done = before + (this.#costs[i] ?? 0) * (step / this.#steps);
    const pace = (now - this.#begun + TRUST) / (done + TRUST);
    return { done: done / this.total, left: (pace * (this.total - done)) / 1000 };
  }
}
