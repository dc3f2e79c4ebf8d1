/**
 * The board that the threads of a job work from: each phase is cut into pieces, whoever is free
 * claims the next one, and a phase is over when all its pieces are done. Nobody waits for a thread to
 * arrive, only for slices that the caller stages and pieces that somebody has begun. So a thread that wakes late, on a core that has
 * cooled down, costs nothing but its help, and the thread that leads can finish alone.
 *
 * Sleeping happens here in JavaScript, never in a kernel: under Node 20's baseline compiler a
 * WebAssembly function that sleeps loses its locals.
 */

/** Thrown in a thread whose job was stopped, by the caller's abort or because a thread failed. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/**
 * How long work goes on between two yields, in milliseconds. A yield runs code of all generators between it and whoever resumes
 * them: one a piece was as much as to have the engine compile these, on a core that the sort needs.
 */
const YIELD_AFTER = 1;

/** Work that can be paused at each yield, without holding up the threads that share it. */
export type Pausable<T> = Generator<undefined, T>;

/**
 * Thrown in a thread that came to shared counts when the others, who do not wait for it, had gone on to later ones in the same table:
 * it cannot tell what they found, and takes part again when the records are sorted.
 */
export class FellBehind extends Error {
  override readonly name = 'FellBehind';
}

/** Tables of counts that take turns: a thread has until the next but one to read some. */
export const COUNT_TABLES = 2;

const STOPPED = 0;
const RECORDS_DONE = 1;
/** 1 when the records are sorted. */
const SORTED = 2;
/** Threads that have taken part. */
const ARRIVED = 3;
/** Slices of the caller's arrays that are in the arena. */
const STAGED = 4;
/** For each table of counts, the phase whose counts are being made there, or were last. */
const COUNTED = 5;
const HEADER = COUNTED + COUNT_TABLES;

/** How often a thread looks before it goes to sleep: for about 20 µs. */
const SPINS = 20_000;

/** Looks at a word up to `times` times: see kernels/cpu/wasm/spin.ts. */
export type Spin = (address: number, seen: number, times: number) => number;

/** How long a thread rests for others to come, in milliseconds: they take 0.1 in most cases. */
const REST = 0.4;

/** How long it sleeps before it looks again whether the job was stopped, in milliseconds. */
const NAP = 8;

/** Bytes of a board for a job of `phases` phases. */
export function boardBytes(phases: number): number {
  return 4 * (HEADER + 2 * phases);
}

export class Board {
  readonly #words: Int32Array;
  readonly #spin: Spin | undefined;
  /** Milliseconds without a piece being finished after which a waiting thread gives up. */
  readonly #patience: number;
  #yielded = performance.now();

  /** The board at byte `at` of `memory`. Who has no `spin` goes to sleep at once where it has to wait. */
  constructor(
    memory: WebAssembly.Memory,
    at: number,
    phases: number,
    patience: number,
    spin?: Spin,
  ) {
    this.#words = new Int32Array(memory.buffer, at, HEADER + 2 * phases);
    this.#patience = patience;
    this.#spin = spin;
  }

  /** Wipes the board. Only while no thread works from it. */
  reset(): void {
    this.#words.fill(0);
  }

  /** Stops the job: every thread throws JobStopped before its next piece. */
  stop(): void {
    const words = this.#words;
    Atomics.store(words, STOPPED, 1);
    Atomics.notify(words, SORTED);
    Atomics.notify(words, STAGED);
    for (let i = HEADER + 1; i < words.length; i += 2) Atomics.notify(words, i);
  }

  /**
   * Takes part in a phase of `pieces` pieces: does those it can claim, then waits for those that
   * others have begun. What any thread wrote in its pieces is visible afterwards. May be paused between pieces.
   * @throws JobStopped, and whatever `work` throws, which stops the job for all.
   */
  *share(phase: number, pieces: number, work: (piece: number) => void): Pausable<void> {
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
      if (performance.now() - this.#yielded < YIELD_AFTER) continue;
      yield;
      this.#yielded = performance.now();
    }
    yield* this.#await(finished, pieces);
  }

  /** Says that the first `slices` slices of the caller's arrays are in the arena. */
  stage(slices: number): void {
    Atomics.store(this.#words, STAGED, slices);
    Atomics.notify(this.#words, STAGED);
  }

  /** Waits for `slices` slices, which whoever started the threads copies meanwhile. @throws JobStopped. */
  awaitStaged(slices: number): void {
    const words = this.#words;
    let staged = Atomics.load(words, STAGED);
    while (staged < slices) {
      if (Atomics.load(words, STOPPED) !== 0) throw new JobStopped('the job was stopped');
      if (this.#look(STAGED, staged) === staged) Atomics.wait(words, STAGED, staged, NAP);
      staged = Atomics.load(words, STAGED);
    }
  }

  /** Says that a thread takes part. */
  arrive(): void {
    Atomics.add(this.#words, ARRIVED, 1);
    Atomics.notify(this.#words, ARRIVED);
  }

  /** How many threads take part, or have. */
  get arrived(): number {
    return Atomics.load(this.#words, ARRIVED);
  }

  /**
   * Rests until `threads` threads take part, for some tenths of a millisecond at most.
   *
   * A scheduler may wake a thread on the core of another that is awake, although a third core is idle or about to be,
   * and leave both there: so sorts took twice as long as they should, every other time (Linux 6.18, two cores). Who
   * wakes here, woken by the last to come, finds the cores of those that rest free.
   */
  rest(threads: number): void {
    const words = this.#words;
    let arrived = Atomics.load(words, ARRIVED);
    const until = performance.now() + REST;
    while (arrived < threads) {
      const left = until - performance.now();
      if (left <= 0) return;
      Atomics.wait(words, ARRIVED, arrived, left);
      arrived = Atomics.load(words, ARRIVED);
    }
  }

  /** To be told before a piece of `phase` overwrites counts that phases before have left in `table`. */
  overwrite(phase: number, table: number): void {
    Atomics.store(this.#words, COUNTED + table, phase);
  }

  /** @throws FellBehind when what was read of the counts that `phase` made in `table` may be another's. */
  assertCounted(phase: number, table: number): void {
    // An addition of nothing, because plain reads before may not move behind it, as they may behind a load.
    const counted = Atomics.add(this.#words, COUNTED + table, 0);
    if (counted !== phase) throw new FellBehind('others went on');
  }

  /** Says that the records are sorted. */
  finishSorting(): void {
    Atomics.store(this.#words, SORTED, 1);
    Atomics.notify(this.#words, SORTED);
  }

  /** Waits for those who say so. @throws JobStopped. */
  *awaitSorted(): Pausable<void> {
    yield* this.#await(SORTED, 1);
  }

  *#await(finished: number, pieces: number): Pausable<void> {
    const words = this.#words;
    let seen = Atomics.load(words, finished);
    let since = performance.now();
    while (seen < pieces) {
      if (Atomics.load(words, STOPPED) !== 0) throw new JobStopped('the job was stopped');
      let now = this.#look(finished, seen);
      if (now === seen) {
        Atomics.wait(words, finished, seen, NAP);
        yield;
        now = Atomics.load(words, finished);
      }
      if (now !== seen) since = performance.now();
      else if (performance.now() - since > this.#patience) {
        this.stop();
        throw new Error(`a thread did not finish its piece within ${this.#patience} ms`);
      }
      seen = now;
    }
  }

  /** What the word is once that is not `seen`, or `seen` when it is time to go to sleep. */
  #look(word: number, seen: number): number {
    return this.#spin?.(this.#words.byteOffset + 4 * word, seen, SPINS) ?? seen;
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
