/** What is written is noted while more is sorted. */

import { later } from '../open/run.js';

/** What is written of the parts of a sort. */
export interface Written {
  /** How many parts are written, from the first on. */
  readonly parts: number;
  /** Their bytes. */
  readonly bytes: number;
}

/** Notes the written parts while others are sorted: one note at a time, with the latest state. */
export class Notes {
  readonly #note: (written: Written) => Promise<void>;
  #latest: Written = { parts: 0, bytes: 0 };
  #noted = this.#latest;
  #noting: Promise<void> | undefined;
  #hasFailed = false;

  constructor(note: (written: Written) => Promise<void>) {
    this.#note = note;
  }

  add(written: Written): void {
    this.#latest = written;
    this.#noting ??= later(this.#noteAll());
  }

  /** Waits while too much is not noted. @throws what a note threw */
  async keepUp(most: number): Promise<void> {
    while (this.#hasFailed || this.#latest.parts - this.#noted.parts > most) await this.#noting;
  }

  async #noteAll(): Promise<void> {
    try {
      while (this.#noted !== this.#latest) {
        const written = this.#latest;
        await this.#note(written);
        this.#noted = written;
      }
      this.#noting = undefined;
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    }
  }

  /** Resolves when no note is under way. */
  async end(): Promise<void> {
    await this.#noting;
  }
}
