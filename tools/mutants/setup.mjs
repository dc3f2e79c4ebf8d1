/** In the process of each test file, before it loads: sets the mutant, or notes what is covered. */

import { writeFileSync } from 'node:fs';
import { afterAll, beforeEach, inject } from 'vitest';

const { mutant, tests, covered } = inject('mutants');
/** Far more rounds than any loop over a test's data has. */
const HITS = 20_000_000;

/** As Vitest's own `fullName`. */
function nameOf({ name, suite }) {
  const above = suite === undefined ? '' : nameOf(suite);
  return above === '' ? name : `${above} > ${name}`;
}

if (mutant !== undefined) {
  // For the threads and processes that the test starts, and for this one.
  Object.assign(process.env, { KEYSWEEP_MUTANT: mutant, KEYSWEEP_HITS: `${HITS}` });
  beforeEach(({ task, skip }) => {
    if (!tests.includes(nameOf(task))) skip();
  });
} else {
  process.env.KEYSWEEP_COVERED = `${covered}.children`;
  const [always, perTest] = [new Set(), {}];
  let current = always;
  // Loops over keys come past a mutant millions of times, and a Set would be asked each time.
  const seen = [];
  let turn = 0;
  const cover = (id) => {
    if (seen[id] === turn) return;
    seen[id] = turn;
    current.add(id);
  };
  const collectIn = (set) => {
    current = set;
    turn++;
  };
  globalThis.keysweepMutants = { active: -1, hits: 0, cover };
  beforeEach(({ task }) => {
    const name = nameOf(task);
    perTest[name] ??= new Set();
    collectIn(perTest[name]);
    return () => collectIn(always);
  });
  afterAll(() => {
    const tests = Object.entries(perTest).map(([name, ids]) => [name, [...ids]]);
    const found = { always: [...always], tests: Object.fromEntries(tests) };
    writeFileSync(covered, JSON.stringify(found));
  });
}
