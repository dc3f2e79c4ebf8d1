/**
 * The work queue of one job, in shared memory. Each phase of the job is cut into pieces. A free
 * thread claims the next piece, and a phase is over when all its pieces are done. A thread waits
 * only for what the calling thread does alone (it stages slices, and decides whether results are
 * written), and for pieces that another thread has begun, never for a thread to arrive. So a thread
 * that wakes late costs nothing but its help, and the leader can finish alone.
 *
 * Sleeping happens here in JavaScript, never in a kernel: under Node 20's baseline compiler a
 * WebAssembly function that sleeps loses its locals.
 */

import { readClock } from '@keysweep/core';

/** Thrown in a thread whose job was stopped, by the caller's abort or because a thread failed. */
export class JobStopped extends Error {
  override readonly name = 'JobStopped';
}

/**
 * Thrown in a thread that came to shared counts after the others had gone on to later counts in the
 * same table. It cannot tell what they found, and takes part again when the records are sorted.
 */
export class CountsOverwritten extends Error {
  override readonly name = 'CountsOverwritten';
}

/**
 * Milliseconds of work between two yields. A yield runs code of every generator up to the one that
 * resumes it. At one yield a piece, engines find that code hot and compile it on a core that the
 * sort needs.
 */
const YIELD_AFTER = 1;

/** Work that can be paused at each yield, without holding up the threads that share it. */
export type Pausable<T> = Generator<undefined, T>;

/** Tables of counts that take turns: a thread has until the next but one count to read a table. */
export const COUNT_TABLES = 2;

// Words of a queue. Two words a phase follow them: pieces claimed, and pieces done.
const STOPPED = 0;
const RECORDS_DONE = 1;
/** When the records are sorted, where they lie: 1 and more, by PLACES. */
const SORTED = 2;
/** Threads that have joined. */
const JOINED = 3;
/** Slices of the caller's arrays that are in the arena. */
const STAGED = 4;
/** Whether sorted keys are written while others are being sorted: by DECISIONS, once decided. */
const DECIDED_EARLY = 5;
/** Whether results are written when all are there: the same. */
const DECIDED = 6;
/** For each table of counts, the phase that fills it or was the last to. */
const COUNTED = 7;
const HEADER = COUNTED + COUNT_TABLES;

/**
 * What becomes of results: they are written; they are left where they are, for the request has
 * failed; or that is decided when all are there.
 */
export type Decision = 'write' | 'leave' | 'later';
const DECISIONS: readonly Decision[] = ['write', 'leave', 'later'];

/** Where sorted records lie: in one of the two buffers, or in the caller's arrays already. */
export type Place = 'records' | 'spare' | 'written';
const PLACES: readonly Place[] = ['records', 'spare', 'written'];

/**
 * How often a thread looks before it sleeps: a look takes about a nanosecond. One that wakes others
 * is held up for 20 microseconds each. If there are only two threads, one may have to wait until
 * the other is off its core.
 */
const SPINS = 100_000;
const SPINS_OF_TWO = 20_000;

/** Looks at a word up to `times` times: see kernels/cpu/wasm/index.ts. */
export type Spin = (address: number, seen: number, times: number) => number;

/** Milliseconds that a thread waits for others to join: several times what waking one takes. */
const JOIN_WAIT = 0.4;

/** Milliseconds of sleep between two looks whether the job was stopped. */
const SLEEP = 8;

/**
 * Milliseconds of sleep between two looks for what the calling thread does. Nobody wakes threads
 * that wait for it: the caller would be held up, and all the others with it.
 */
const CALLER_SLEEP = 0.1;

/** Where a queue is, and for what. */
export interface QueuePlace {
  readonly queueAt: number;
  readonly phases: number;
  readonly threads: number;
}

/** Bytes of a queue for a job of `phases` phases. */
export function queueBytes(phases: number): number {
  return 4 * (HEADER + 2 * phases);
}

export class WorkQueue {
  readonly #words: Int32Array;
  readonly #spin: Spin | undefined;
  readonly #spins: number;
  /** Milliseconds without a finished piece after which a waiting thread fails the job. */
  readonly #timeout: number;
  #yielded = readClock();

  /**
   * The queue of a job that `threads` threads share, at byte `queueAt` of `memory`. A thread that
   * has to wait sleeps at once without `spin`.
   */
  constructor(
    memory: WebAssembly.Memory,
    { queueAt, phases, threads }: QueuePlace,
    timeout: number,
    spin?: Spin,
  ) {
    this.#words = new Int32Array(memory.buffer, queueAt, HEADER + 2 * phases);
    this.#timeout = timeout;
    this.#spin = spin;
    this.#spins = threads > 2 ? SPINS : SPINS_OF_TWO;
  }

  /** Clears the queue. Only while no thread works from it. */
  reset(): void {
    this.#words.fill(0);
  }

  /** Stops the job: every thread throws JobStopped before its next piece. */
  stop(): void {
    const words = this.#words;
    Atomics.store(words, STOPPED, 1);
    Atomics.notify(words, SORTED);
    for (let i = HEADER + 1; i < words.length; i += 2) Atomics.notify(words, i);
  }

  /**
   * Takes part in a phase of `pieces` pieces: does those it can claim, then waits for those that
   * other threads have begun. A thread's own pieces come in ascending order. What any thread wrote
   * in its pieces is visible afterwards. May be paused between pieces.
   * @throws JobStopped, and whatever `work` throws, which stops the job for all.
   */
  *runPhase(phase: number, pieces: number, work: (piece: number) => void): Pausable<void> {
    const words = this.#words;
    const claimed = HEADER + 2 * phase;
    const done = claimed + 1;
    for (;;) {
      if (Atomics.load(words, STOPPED) !== 0) throw new JobStopped('the job was stopped');
      const piece = Atomics.add(words, claimed, 1);
      if (piece >= pieces) break;
      try {
        work(piece);
      } catch (error) {
        this.stop();
        throw error;
      }
      if (Atomics.add(words, done, 1) === pieces - 1) Atomics.notify(words, done);
      if (readClock() - this.#yielded < YIELD_AFTER) continue;
      yield;
      this.#yielded = readClock();
    }
    yield* this.#await(done, pieces);
  }

  /** Notes that the first `slices` slices of the caller's arrays are in the arena. */
  markStaged(slices: number): void {
    Atomics.store(this.#words, STAGED, slices);
  }

  /**
   * Waits until `slices` slices are staged, which another thread does.
   * @throws JobStopped.
   */
  awaitStaged(slices: number): void {
    this.#awaitCaller(STAGED, slices);
  }

  /** Decides what becomes of sorted keys before all are, unless that was put off. */
  decideEarly(decision: Decision): void {
    Atomics.compareExchange(this.#words, DECIDED_EARLY, 0, 1 + DECISIONS.indexOf(decision));
  }

  /** That decision. Waits for it some tenths of a millisecond at most, then puts it off. */
  earlyDecision(): Decision {
    if (this.#look(DECIDED_EARLY, 0) === 0) this.decideEarly('later');
    return DECISIONS[Atomics.load(this.#words, DECIDED_EARLY) - 1] as Decision;
  }

  /** Decides what becomes of results when all are there. */
  decide(decision: Exclude<Decision, 'later'>): void {
    Atomics.store(this.#words, DECIDED, 1 + DECISIONS.indexOf(decision));
  }

  /**
   * Waits for that decision.
   * @throws JobStopped.
   */
  awaitDecision(): Decision {
    return DECISIONS[this.#awaitCaller(DECIDED, 1) - 1] as Decision;
  }

  /** Waits until the calling thread has made word `word` `target` or more; returns it. */
  #awaitCaller(word: number, target: number): number {
    const words = this.#words;
    let seen = Atomics.load(words, word);
    while (seen < target) {
      if (Atomics.load(words, STOPPED) !== 0) throw new JobStopped('the job was stopped');
      if (this.#look(word, seen) === seen) Atomics.wait(words, word, seen, CALLER_SLEEP);
      seen = Atomics.load(words, word);
    }
    return seen;
  }

  /** Notes that a thread takes part. */
  join(): void {
    Atomics.add(this.#words, JOINED, 1);
    Atomics.notify(this.#words, JOINED);
  }

  /** How many threads take part, or have. */
  get joined(): number {
    return Atomics.load(this.#words, JOINED);
  }

  /**
   * Sleeps until `threads` threads take part, for JOIN_WAIT milliseconds at most.
   *
   * A scheduler may wake a thread on the core of another that is awake, although a third core is
   * idle or about to be, and leave both there. Linux 6.18 on two cores does: sorts took twice as
   * long as they should, every other time. A thread that the last one to join wakes finds the cores
   * of the sleeping ones free.
   */
  awaitThreads(threads: number): void {
    const words = this.#words;
    let joined = Atomics.load(words, JOINED);
    const until = readClock() + JOIN_WAIT;
    while (joined < threads) {
      const left = until - readClock();
      if (left <= 0) return;
      Atomics.wait(words, JOINED, joined, left);
      joined = Atomics.load(words, JOINED);
    }
  }

  /** To be called before a piece of `phase` overwrites the counts of earlier phases in `table`. */
  markCounted(phase: number, table: number): void {
    Atomics.store(this.#words, COUNTED + table, phase);
  }

  /**
   * @throws CountsOverwritten when counts that were read from `table` may not be those of `phase`.
   */
  assertCounted(phase: number, table: number): void {
    // An addition of 0 and not a load, because plain reads before a load may move past it.
    const counted = Atomics.add(this.#words, COUNTED + table, 0);
    if (counted !== phase) throw new CountsOverwritten('other threads went on');
  }

  /** Notes that the records are sorted, and where they lie. */
  markSorted(place: Place): void {
    Atomics.store(this.#words, SORTED, 1 + PLACES.indexOf(place));
    Atomics.notify(this.#words, SORTED);
  }

  /**
   * Waits until the records are sorted; returns where they lie.
   * @throws JobStopped.
   */
  *awaitSorted(): Pausable<Place> {
    yield* this.#await(SORTED, 1);
    return PLACES[Atomics.load(this.#words, SORTED) - 1] as Place;
  }

  /** Waits until word `word` is `target` or more. */
  *#await(word: number, target: number): Pausable<void> {
    const words = this.#words;
    let seen = Atomics.load(words, word);
    let since = readClock();
    while (seen < target) {
      if (Atomics.load(words, STOPPED) !== 0) throw new JobStopped('the job was stopped');
      let now = this.#look(word, seen);
      if (now === seen) {
        Atomics.wait(words, word, seen, SLEEP);
        yield;
        now = Atomics.load(words, word);
      }
      if (now !== seen) since = readClock();
      else if (readClock() - since > this.#timeout) {
        this.stop();
        throw new Error(`a thread did not finish its piece within ${this.#timeout} ms`);
      }
      seen = now;
    }
  }

  /** The value of a word once that is not `seen`, or `seen` when it is time to sleep. */
  #look(word: number, seen: number): number {
    return this.#spin?.(this.#words.byteOffset + 4 * word, seen, this.#spins) ?? seen;
  }

  /** Notes that `records` more records are in place. */
  addDone(records: number): void {
    Atomics.add(this.#words, RECORDS_DONE, records);
  }

  /** Records in place so far: for progress. */
  get recordsDone(): number {
    return Atomics.load(this.#words, RECORDS_DONE) >>> 0;
  }
}
