/**
 * The board that the threads of a job work from: each phase is cut into pieces, whoever is free
 * claims the next one, and a phase is over when all its pieces are done. Nobody waits for a thread to
 * arrive, only for pieces that somebody has begun. So a thread that wakes late, on a core that has
 * cooled down, costs nothing but its help, and the thread that leads can finish alone.
 *
 * Waiting happens here in JavaScript, never in a kernel: under Node 20's baseline compiler a
 * WebAssembly function that sleeps loses its locals.
 */

/** Thrown in a thread whose job was stopped, by the caller's abort or because a thread failed. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

const STOPPED = 0;
const RECORDS_DONE = 1;
const HEADER = 2;

/** How often a thread looks before it goes to sleep: about 20 µs. */
const SPINS = 2000;

/** How long it sleeps before it looks again whether the job was stopped, in milliseconds. */
const NAP = 50;

/** Bytes of a board for a job of `phases` phases. */
export function boardBytes(phases: number): number {
  return 4 * (HEADER + 2 * phases);
}

export class Board {
  readonly #words: Int32Array;
  /** Milliseconds without a piece being finished after which a waiting thread gives up. */
  readonly #patience: number;

  /** The board at byte `at` of `memory`. */
  constructor(memory: WebAssembly.Memory, at: number, phases: number, patience: number) {
    this.#words = new Int32Array(memory.buffer, at, HEADER + 2 * phases);
    this.#patience = patience;
  }

  /** Wipes the board. Only while no thread works from it. */
  reset(): void {
    this.#words.fill(0);
  }

  /** Stops the job: every thread throws JobStopped before its next piece. */
  stop(): void {
    const words = this.#words;
    Atomics.store(words, STOPPED, 1);
    for (let i = HEADER + 1; i < words.length; i += 2) Atomics.notify(words, i);
  }

  /**
   * Takes part in a phase of `pieces` pieces: does those it can claim, then waits for those that
   * others have begun. What any thread wrote in its pieces is visible afterwards.
   * @throws JobStopped, and whatever `work` throws, which stops the job for all.
   */
  share(phase: number, pieces: number, work: (piece: number) => void): void {
    const words = this.#words;
    const next = HEADER + 2 * phase;
    const finished = next + 1;
    for (;;) {
      if (Atomics.load(words, STOPPED) !== 0) throw new JobStopped('the job was stopped');
      const piece = Atomics.add(words, next, 1);
      if (piece >= pieces) break;
      try {
        work(piece);
      } catch (error) {
        this.stop();
        throw error;
      }
      if (Atomics.add(words, finished, 1) === pieces - 1) Atomics.notify(words, finished);
    }
    this.#await(finished, pieces);
  }

  #await(finished: number, pieces: number): void {
    const words = this.#words;
    let spins = SPINS;
    let seen = Atomics.load(words, finished);
    let since = 0;
    while (seen < pieces) {
      if (Atomics.load(words, STOPPED) !== 0) throw new JobStopped('the job was stopped');
      if (spins-- <= 0) {
        since ||= performance.now();
        Atomics.wait(words, finished, seen, NAP);
      }
      const now = Atomics.load(words, finished);
      if (now !== seen) since = 0;
      else if (since !== 0 && performance.now() - since > this.#patience) {
        this.stop();
        throw new JobStopped(`a thread did not finish its piece within ${this.#patience} ms`);
      }
      seen = now;
    }
  }

  /** Notes that `records` records are in place. */
  advance(records: number): void {
    Atomics.add(this.#words, RECORDS_DONE, records);
  }

  /** Records in place so far: for progress. */
  get recordsDone(): number {
    return Atomics.load(this.#words, RECORDS_DONE) >>> 0;
  }
}
