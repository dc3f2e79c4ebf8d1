/** What a soak prints, and what it says of memory, between two eras. */

import { formatCount } from '../program/table.js';
import { faultOfMemory, lasting, type Memory } from './counts.js';
import { CALLS, SoakFault } from './era.js';
import type { Outcome } from './serve.js';

/** Eras before the first look at memory: code is compiled, and pools are filled. */
export const WARM_UP = 4;

/** What an era left, as its host counts. */
export interface EraEnd {
  readonly era: number;
  /** How calls ended so far. */
  readonly counts: Partial<Record<Outcome, number>>;
  readonly threads: number;
  readonly buffers: number;
}

export class Watch {
  readonly #seed: number;
  readonly #measure: () => Memory | Promise<Memory>;
  readonly #onFault: () => void;
  readonly #start: number = performance.now();
  #eras = 0;
  #told = 0;
  #before: Memory | undefined;
  #last: EraEnd = { era: 0, counts: {}, threads: 0, buffers: 0 };

  /** `measure` is asked after each era; `onFault` is called before memory that is left is told. */
  constructor(seed: number, measure: () => Memory | Promise<Memory>, onFault: () => void) {
    this.#seed = seed;
    this.#measure = measure;
    this.#onFault = onFault;
  }

  /** Looks at what an era has left. @throws SoakFault */
  async afterEra(end: EraEnd): Promise<void> {
    this.#last = end;
    this.#eras++;
    if (this.#eras === WARM_UP) this.#before = await this.#measure();
    const before = this.#before;
    if (before !== undefined) {
      const fault = await lasting(async () => faultOfMemory(before, await this.#measure()));
      if (fault !== undefined) {
        this.#onFault();
        throw new SoakFault(end.era * CALLS, fault);
      }
    }
    const minutes = Math.floor((performance.now() - this.#start) / 60_000);
    if (minutes === this.#told) return;
    this.#told = minutes;
    await this.tell();
  }

  /** Prints the counts so far. */
  async tell(): Promise<void> {
    const { counts, threads, buffers } = this.#last;
    const ended = Object.entries(counts).map(([outcome, n]) => `${formatCount(n)} ${outcome}`);
    const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
    const { objects, arrays, all, descriptors } = await this.#measure();
    console.log(
      `${((performance.now() - this.#start) / 60_000).toFixed(1)} min: ` +
        `${formatCount(total)} calls (${ended.join(', ')}), seed ${this.#seed}; ` +
        `${threads} threads, ${buffers} GPU buffers, ${descriptors ?? '?'} descriptors, ` +
        `${mebibytes(objects)} MiB of objects, ${mebibytes(arrays)} MiB of arrays, ` +
        `${mebibytes(all)} MiB in all`,
    );
  }
}

const mebibytes = (bytes: number | undefined): string =>
  bytes === undefined ? '?' : (bytes / 2 ** 20).toFixed(0);
