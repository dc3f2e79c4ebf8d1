/** Tests of a user, which call keysweep inside a test runner. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './process.js';
import { commandOf, type Project, warningsOf } from './project.js';
import type { Outcome, Trial } from './trial.js';

/** Runs the test in `part` by a command of that name; it writes its outcome into a file. */
async function inRunner(project: Project, part: string, args: string[]): Promise<Trial[]> {
  const file = join(project.out, `${part}-${args.at(-1)}.json`);
  const warnings = await warningsOf(project, part, (root, control) => {
    const outcome = control ? `${file}.control` : file;
    // Jest keeps there what a run took, and then prints an estimate with the next run's time.
    const cache = part === 'jest' ? [`--cacheDirectory=${outcome}.cache`] : [];
    return run(commandOf(project, part), [...args, ...cache], {
      cwd: join(root, part),
      env: { OUTCOME: outcome },
    });
  });
  const outcome = JSON.parse(await readFile(file, 'utf8')) as Outcome;
  return [{ place: 'process', outcome, warnings }];
}

export const inJest = (environment: 'node' | 'jsdom') => (project: Project) =>
  inRunner(project, 'jest', ['--env', environment]);

export const inVitest = (environment: 'jsdom') => (project: Project) =>
  inRunner(project, 'vitest', ['run', '--environment', environment]);
