/** What a round waits for, so that one which does not end says why. */
export class Waits {
  readonly #waiting = new Set<() => string>();

  /** The result of `work`, which is waited for by the name that `what` gives it at any time. */
  async until<T>(what: () => string, work: Promise<T>): Promise<T> {
    this.#waiting.add(what);
    try {
      return await work;
    } finally {
      this.#waiting.delete(what);
    }
  }

  toString(): string {
    return [...this.#waiting].map((what) => what()).join(', ') || 'something unknown';
  }
}
