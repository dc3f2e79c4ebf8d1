/** Several ways to do the same work, timed by turns. */

/** One way to do a round's work; what it returns is checked when all have run. */
export type Way<T> = readonly [name: string, run: () => T | Promise<T>];

/** Work that each way does once. */
export interface Round<T> {
  readonly ways: readonly Way<T>[];
  /** Whether the result of a way is right; `results` are those of all ways, by name. */
  isRight(result: T, results: ReadonlyMap<string, T>): boolean;
}

/** The samples of one way. */
export interface Turns {
  readonly name: string;
  readonly milliseconds: readonly number[];
  /** Whether every result was right. */
  readonly verified: boolean;
}

/**
 * Times the ways of `samples` rounds, one way after the other in each, after `unmeasured` rounds,
 * in which engines compile what they run. Making a round and checking its results is not timed.
 */
export async function takeTurns<T>(
  samples: number,
  makeRound: () => Round<T>,
  unmeasured = 1,
): Promise<readonly Turns[]> {
  const milliseconds = new Map<string, number[]>();
  const wrong = new Set<string>();
  for (let sample = -unmeasured; sample < samples; sample++) {
    const { ways, isRight } = makeRound();
    const results = new Map<string, T>();
    for (const [name, run] of ways) {
      const start = performance.now();
      results.set(name, await run());
      const time = performance.now() - start;
      if (sample >= 0) milliseconds.set(name, [...(milliseconds.get(name) ?? []), time]);
    }
    for (const [name, result] of results) if (!isRight(result, results)) wrong.add(name);
  }
  return Array.from(milliseconds, ([name, times]) => ({
    name,
    milliseconds: times,
    verified: !wrong.has(name),
  }));
}
