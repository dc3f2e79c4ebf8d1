/**
 * How the threads of a job meet: words of shared memory, waited on from JavaScript. Kernels never
 * wait: under Node 20's baseline compiler a WebAssembly function that sleeps loses its locals.
 */

import { CONTROL } from './arena.js';

const ARRIVED = 0;
const ROUND = 1;
const STOPPED = 2;
const NEXT = 3;
const DONE = 4;
const WORDS = 5;

/** How often a thread looks before it goes to sleep: about 20 µs. */
const SPINS = 2000;

/** How long it sleeps before it looks whether the job was stopped, in milliseconds. */
const NAP = 50;

/** Thrown in a thread whose job was stopped from outside. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/** The meeting point of the threads that share `memory`. */
export class Meeting {
  readonly #words: Int32Array;
  readonly #threads: number;

  constructor(memory: WebAssembly.Memory, threads: number) {
    this.#words = new Int32Array(memory.buffer, CONTROL, WORDS);
    this.#threads = threads;
  }

  /** Forgets the job before. Only while no thread is at work. */
  reset(): void {
    this.#words.fill(0);
  }

  /** Stops the job: every thread throws JobStopped at its next meeting or claim. */
  stop(): void {
    Atomics.store(this.#words, STOPPED, 1);
    Atomics.notify(this.#words, ROUND);
  }

  get stopped(): boolean {
    return Atomics.load(this.#words, STOPPED) !== 0;
  }

  /** Waits until all threads have come here. What they wrote before is visible after. */
  meet(): void {
    if (this.#threads === 1) return;
    const words = this.#words;
    const round = Atomics.load(words, ROUND);
    if (Atomics.add(words, ARRIVED, 1) === this.#threads - 1) {
      Atomics.store(words, ARRIVED, 0);
      Atomics.add(words, ROUND, 1);
      Atomics.notify(words, ROUND);
      return;
    }
    let spins = SPINS;
    while (Atomics.load(words, ROUND) === round) {
      if (this.stopped) throw new JobStopped();
      if (spins-- <= 0) Atomics.wait(words, ROUND, round, NAP);
    }
  }

  /** Opens a new round of claims. By one thread, with a meeting before and after. */
  openClaims(): void {
    Atomics.store(this.#words, NEXT, 0);
  }

  /** Claims the next `count` pieces of work; returns the first one's number. */
  claim(count: number): number {
    if (this.stopped) throw new JobStopped();
    return Atomics.add(this.#words, NEXT, count);
  }

  /** Notes that `keys` keys are in place. */
  advance(keys: number): void {
    Atomics.add(this.#words, DONE, keys);
  }

  /** Keys in place so far: for progress. */
  get done(): number {
    return Atomics.load(this.#words, DONE) >>> 0;
  }
}
