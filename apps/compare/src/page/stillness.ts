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
  #isStill = false;

  add(moving: Moving): void {
    this.#moving.push(moving);
    if (this.#isStill) void moving.rest();
  }

  /** Does `work` after everything has stopped, and lets it move again when that is over. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.#isStill = true;
    try {
      await Promise.all(this.#moving.map((moving) => moving.rest()));
      return await work();
    } finally {
      this.#isStill = false;
      for (const moving of this.#moving) moving.resume();
    }
  }
}
