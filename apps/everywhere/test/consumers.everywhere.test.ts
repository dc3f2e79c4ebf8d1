/** keysweep as its users have it, by every tool. Writes the record of which the table is made. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { CONSUMERS, type Consumer } from './consumers.js';
import { judge } from './judge.js';
import { closeBrowser } from './pages.js';
import { installProject, type Project } from './project.js';
import type { Trial } from './trial.js';

const RECORD = fileURLToPath(new URL('../../bench/records/everywhere.json', import.meta.url));

let project: Project;
const results: { consumer: Consumer; trials: readonly Trial[] }[] = [];

beforeAll(async () => {
  project = await installProject('all');
});

afterAll(async () => {
  await closeBrowser();
  // A part of the table would not be one.
  if (results.length === CONSUMERS.length) await writeRecord();
  await project?.remove();
});

describe("a million keys are sorted by 'auto', fast and in silence, in", () => {
  for (const consumer of CONSUMERS) {
    it(`${consumer.name}, ${consumer.way}`, async () => {
      results.push({ consumer, trials: await judge(consumer, project) });
    });
  }
});

/** The version of an npm package in the project. */
async function versionOf(tool: string): Promise<string> {
  const path = join(project.folder, 'node_modules', tool, 'package.json');
  return JSON.parse(await readFile(path, 'utf8')).version;
}

/** Writes what apps/bench makes the table of: its `EverywhereRecord`. */
async function writeRecord(): Promise<void> {
  const rows = results.map(async ({ consumer, trials }) => ({
    kind: consumer.kind,
    name: consumer.name,
    versions: await Promise.all(consumer.tools.map(versionOf)),
    way: consumer.way,
    trials: trials.map(({ place, outcome }) => {
      const { backend, threads } = outcome.sorts.at(-1)!;
      return { place, backend, threads, warnings: outcome.warnings };
    }),
  }));
  const record = { rows: await Promise.all(rows) };
  await writeFile(RECORD, `${JSON.stringify(record, null, 2)}\n`);
}
