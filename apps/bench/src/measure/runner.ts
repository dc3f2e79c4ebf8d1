/** Times several ways to do the same work, in turns. Every result is checked. */

/** One way to do a round's work. */
export interface Way<T> {
  readonly name: string;
  /** Preparation that is not timed. */
  prepare?(): void;
  run(): T | Promise<T>;
}

/** One input, on which each way does the work once. */
export interface Round<T> {
  readonly ways: readonly Way<T>[];
  /** Says what is wrong with a result, or undefined. Called before the next way runs. */
  check(result: T, way: string): string | undefined | Promise<string | undefined>;
}

/** A comparison: one input, or a new one for each round, and the ways to work on it. */
export interface Case<T = unknown, Note = unknown> {
  readonly name: string;
  /** Rounds that count, at least one. */
  readonly samples: number;
  /** Rounds before the samples, in which engines compile the code. */
  readonly warmUps: number;
  /** How many calls `run` makes, more than one if they are too short for the clock. Default 1. */
  readonly calls?: number;
  /** Makes the work of a round. It is not timed. */
  makeRound(): Round<T> | Promise<Round<T>>;
  /** Milliseconds by another clock than the runner's, such as a GPU's. */
  timeOf?(result: T): number | undefined;
  /** Something to keep of a result, beside its time. */
  noteOf?(result: T): Note;
}

/** The samples of one way, in the order in which they were taken. */
export interface Timing<Note = unknown> {
  readonly name: string;
  /** Milliseconds of one call, by sample. */
  readonly milliseconds: number[];
  readonly notes: Note[];
  /** The first wrong result, after which the way no longer runs; undefined if all were right. */
  fault: string | undefined;
}

/**
 * Takes the samples of a case. The order of the ways is reversed in every other round, because
 * later ways find warmer caches and a busier garbage collector. A way that rejects is faulty.
 */
export async function measure<T, Note>(one: Case<T, Note>): Promise<Timing<Note>[]> {
  const timings = new Map<string, Timing<Note>>();
  const { samples, warmUps, calls = 1 } = one;
  for (let sample = -warmUps; sample < samples; sample++) {
    const { ways, check } = await one.makeRound();
    for (const { name } of ways) {
      if (!timings.has(name))
        timings.set(name, { name, milliseconds: [], notes: [], fault: undefined });
    }
    for (const way of sample % 2 === 0 ? ways : ways.toReversed()) {
      const timing = timings.get(way.name) as Timing<Note>;
      if (timing.fault !== undefined) continue;
      try {
        way.prepare?.();
        const start = performance.now();
        const returned = way.run();
        const result = returned instanceof Promise ? await returned : returned;
        const time = performance.now() - start;
        timing.fault = await check(result, way.name);
        if (sample < 0) continue;
        timing.milliseconds.push((one.timeOf?.(result) ?? time) / calls);
        if (one.noteOf) timing.notes.push(one.noteOf(result));
      } catch (error) {
        timing.fault = `failed: ${error instanceof Error ? error.message : String(error)}`;
      }
    }
  }
  return [...timings.values()];
}
