/** Waits of a pool that end when one of its threads is lost. */

/**
 * What ends waits early: `broken` rejects when a thread is lost, which may be never. Were each wait
 * a race against it, that promise would keep every race, and the result of each, for as long as the
 * pool lives. So it has one listener, and waits come and go in a set.
 */
export class Breakage {
  readonly #waiting = new Set<(error: unknown) => void>();
  #lost: { readonly error: unknown } | undefined;

  constructor(broken: Promise<never>) {
    broken.catch((error) => {
      this.#lost = { error };
      for (const reject of this.#waiting) reject(error);
      this.#waiting.clear();
    });
  }

  /** Whether a thread was lost. */
  get isBroken(): boolean {
    return this.#lost !== undefined;
  }

  /** The result of `work`. @throws what `work` throws; what broke the pool, before or meanwhile */
  async unlessBroken<T>(work: Promise<T>): Promise<T> {
    let end = (_: unknown): void => {};
    try {
      return await new Promise<T>((resolve, reject) => {
        end = reject;
        work.then(resolve, reject);
        if (this.#lost !== undefined) reject(this.#lost.error);
        else this.#waiting.add(reject);
      });
    } finally {
      this.#waiting.delete(end);
    }
  }
}
