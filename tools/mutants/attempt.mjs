/** Tries mutants: each with the tests that come past it, those that are about it first. */

import { onRunners } from './runner.mjs';

/** How long a file may take with a mutant, by how long its tests take without one. */
const limitOf = (milliseconds) => 20_000 + 10 * milliseconds;
/** What starting a file costs beside its tests, in milliseconds. */
const START = 500;
/** The most milliseconds of tests that a mutant is tried with. */
const MOST = 20_000;

/**
 * A function that lists the tests which come past a mutant, as
 * `{ file, name, milliseconds, past }`: `past` is how many mutants each comes past, by itself,
 * while its file loads, or in processes and threads that its file starts, the nearest of which
 * counts with all nearer ones.
 */
function testsByMutant(covered) {
  const all = Object.entries(covered).flatMap(([file, { always, children, tests }]) => {
    const outside = [new Set(always), new Set(children)];
    return Object.entries(tests).map(([name, { milliseconds, ids }]) => ({
      ...{ file, name, milliseconds },
      circles: [new Set(ids), ...outside],
    }));
  });
  return (id) =>
    all.flatMap(({ circles, ...test }) => {
      const nearest = circles.findIndex((ids) => ids.has(id));
      if (nearest < 0) return [];
      const past = circles.slice(0, nearest + 1).reduce((sum, { size }) => sum + size, 0);
      return [{ ...test, past }];
    });
}

/**
 * As many of `tests` as take no longer than MOST together, by file, as
 * `{ file, tests, milliseconds }`. The ones that come past the fewest mutants come first, because
 * they are about this code, and thousands of others may only make use of it.
 */
function affordable(tests) {
  const byFile = new Map();
  let sum = 0;
  const ranked = tests.sort((a, b) => a.past - b.past || a.milliseconds - b.milliseconds);
  for (const { file, name, milliseconds } of ranked) {
    const more = milliseconds + (byFile.has(file) ? 0 : START);
    if (sum + more > MOST && byFile.size > 0) continue;
    sum += more;
    const run = byFile.get(file) ?? { file, tests: [], milliseconds: 0 };
    run.tests.push(name);
    run.milliseconds += milliseconds;
    byFile.set(file, run);
  }
  return [...byFile.values()];
}

/** What is known of tests without a mutant: a test that is red so says nothing of mutants. */
class Control {
  #green = new Set();
  #red = new Set();

  usable(file, tests) {
    return tests.filter((name) => !this.#red.has(`${file}: ${name}`));
  }

  /** Whether these tests, which are red with a mutant, are green with one that does not exist. */
  async isGreen(runner, file, tests) {
    const keys = tests.map((name) => `${file}: ${name}`);
    if (keys.every((key) => this.#green.has(key))) return true;
    const { failure } = await runner.run({ file, mutant: 'none', tests }, 120_000);
    for (const key of keys) (failure === undefined ? this.#green : this.#red).add(key);
    return failure === undefined;
  }
}

/**
 * Tries `mutants` on the copy at `root` until `deadline` (as `Date.now`). Calls `told` with lines,
 * and `tried` with `{ ...mutant, status, by }` for each: 'killed', 'survived' or 'uncovered'.
 */
export async function attempt(root, mutants, covered, { jobs, deadline, told, tried }) {
  const testsOf = testsByMutant(covered);
  const control = new Control();

  /** What kills a mutant in a file; undefined for nothing, null where the time is over. */
  const killerOf = async (runner, id, { file, tests: all, milliseconds }) => {
    for (let tests = all; ; ) {
      tests = control.usable(file, tests);
      const limit = Math.min(limitOf(milliseconds), deadline - Date.now());
      if (limit <= 0) return null;
      if (tests.length === 0) return undefined;
      const { failure, failed = [] } = await runner.run({ file, mutant: id, tests }, limit);
      if (Date.now() >= deadline) return null;
      if (failure === undefined) return undefined;
      const red = failed.length > 0 ? failed : tests;
      if (await control.isGreen(runner, file, red)) return `${file}: ${failed[0] ?? failure}`;
      told(`not used, because it is red without a mutant: ${file}: ${red.join(', ')}`);
    }
  };

  await onRunners(root, { jobs, bail: true }, mutants, async (mutant, runner) => {
    if (Date.now() >= deadline) return undefined;
    const own = affordable(testsOf(mutant.id));
    for (const run of own) {
      const by = await killerOf(runner, mutant.id, run);
      if (by === null) return undefined;
      if (by !== undefined) return tried({ ...mutant, status: 'killed', by });
    }
    return tried({ ...mutant, status: own.length > 0 ? 'survived' : 'uncovered' });
  });
}
