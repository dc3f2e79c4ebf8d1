/**
 * Changes sources in every small way that Stryker knows, and sees which of the changes no test of
 * their packages notices:
 *
 *   npm run test:mutants -- packages/core [packages/keysweep/src/table …] [--count N] [--seed S]
 *
 * Works in a copy of the checkout, so build first what you have changed. `--count` draws N
 * mutants of each package. `--prepare FOLDER` makes the copy there and runs the tests
 * without a mutant; `--in FOLDER` tries the mutants of such a folder, on another machine, too.
 */

import { appendFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { attempt } from './attempt.mjs';
import { choose, packageOf } from './choose.mjs';
import { cover } from './cover.mjs';
import { lineOf, tableOf } from './table.mjs';

const text = { type: 'string' };
const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: text,
    seed: { ...text, default: '1' },
    jobs: text,
    minutes: text,
    prepare: text,
    in: text,
    out: text,
  },
});
const jobs = Number(options.jobs ?? availableParallelism());
const paths = positionals.map((path) => relative('.', resolve(path)));
if (paths.length === 0 && options.in === undefined) {
  throw new TypeError('name folders or files with sources: packages/core');
}

const fileIn = (folder) => join(folder, 'mutants.json');

/** Makes the copy with all mutants in it. */
async function prepare(folder) {
  // Only here: a machine that tries mutants needs neither Stryker nor what builds.
  const { copyCheckout } = await import('../faults/copy.mjs');
  const { plant } = await import('./plant.mjs');
  await mkdir(folder, { recursive: true });
  await copyCheckout(resolve('.'), folder);
  await writeFile(fileIn(folder), JSON.stringify({ mutants: await plant(folder, paths) }));
}

/** Tries what was chosen, after the tests have been run without a mutant, the first time. */
async function tryAll(folder) {
  const deadline = Date.now() + 60_000 * Number(options.minutes ?? Infinity);
  const { mutants, covered: known } = JSON.parse(await readFile(fileIn(folder), 'utf8'));
  const chosen = choose(mutants, paths, options);
  const packages = [...new Set(chosen.map(packageOf))].sort();
  const covered = known ?? (await cover(folder, packages, { jobs, told: console.log }));
  // A selection's tests do not say what covers the others.
  if (paths.length === 0) await writeFile(fileIn(folder), JSON.stringify({ mutants, covered }));
  const outcomes = [];
  await attempt(folder, chosen, covered, {
    jobs,
    deadline,
    told: console.log,
    tried: (mutant) => {
      outcomes.push(mutant);
      // At once, so that a run that is ended leaves what it found.
      if (options.out !== undefined) appendFileSync(options.out, `${JSON.stringify(mutant)}\n`);
      if (mutant.status !== 'killed') console.log(lineOf(mutant));
    },
  });
  console.log(tableOf(mutants, outcomes));
}

if (options.prepare !== undefined) await prepare(resolve(options.prepare));
else if (options.in !== undefined) await tryAll(resolve(options.in));
else {
  const folder = await mkdtemp(join(tmpdir(), 'keysweep-mutants-'));
  try {
    await prepare(folder);
    await tryAll(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
