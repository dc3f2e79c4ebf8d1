/** Keeps the page still while something is measured: what moves takes processor time from sorts. */

/** Something that moves by itself. */
export interface Moving {
  /** Stops it; resolves when its last frame is drawn. */
  rest(): Promise<void>;
  /** Lets it move again, if it did. */
  resume(): void;
}

export class Stillness {
  readonly #moving: Moving[] = [];
  /** Works that are under way. */
  #works = 0;

  add(moving: Moving): void {
    this.#moving.push(moving);
    if (this.#works > 0) void moving.rest();
  }

  /** Does `work` after everything has stopped, and lets it move again when that is over. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#works++;
    try {
      await Promise.all(this.#moving.map((moving) => moving.rest()));
      return await work();
    } finally {
      this.#works--;
      if (this.#works === 0) for (const moving of this.#moving) moving.resume();
    }
  }
}
