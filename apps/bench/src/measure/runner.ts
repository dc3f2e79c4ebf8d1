/** Times several ways to do the same work, in turns. Every result is checked. */

/** One way to do a round's work. */
export interface Way<T> {
  readonly name: string;
  /** What has to be done before the clock starts. */
  prepare?(): void;
  run(): T | Promise<T>;
}

/** Work that each way does once, on the same input. */
export interface Round<T> {
  readonly ways: readonly Way<T>[];
  /** What is wrong with a result, or undefined. It is checked before the next way runs. */
  check(result: T, way: string): string | undefined | Promise<string | undefined>;
}

/** What is measured: one input, or a new one for each round, and the ways to work on it. */
export interface Case<T = unknown, Note = unknown> {
  readonly name: string;
  /** Rounds that count, at least one. */
  readonly samples: number;
  /** Rounds before them, in which engines compile what they run. */
  readonly warmUps: number;
  /** Calls that `run` makes: many if one is too short for the clock. 1 unless it says otherwise. */
  readonly calls?: number;
  /** Makes the work of a round. It is not timed. */
  makeRound(): Round<T> | Promise<Round<T>>;
  /** Milliseconds by a clock of the way's own, in place of the runner's. */
  timeOf?(result: T): number | undefined;
  /** What is kept of a result, beside its time. */
  noteOf?(result: T): Note;
}

/** The samples of one way, in the order in which they were taken. */
export interface Timing<Note = unknown> {
  readonly name: string;
  /** Of one call. */
  readonly milliseconds: number[];
  readonly notes: Note[];
  /** undefined if every result was right. Else what was wrong first; it then runs no more. */
  fault: string | undefined;
}

/**
 * Takes the samples of a case. Who comes first changes with each round, because later ways find
 * warmer caches and a busier garbage collector. Ways that reject are faulty.
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
