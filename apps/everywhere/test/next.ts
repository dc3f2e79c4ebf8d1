/** An app of Next.js: a client component in two kinds of pages, and a server route. */

import { join } from 'node:path';
import { visit } from './pages.js';
import { run, serveBy } from './process.js';
import { commandOf, type Project, warningsOf } from './project.js';
import { linesOf, type Outcome, type Place, type Trial } from './trial.js';

const PAGES: readonly { place: Place; path: string }[] = [
  { place: 'isolated page', path: '/isolated' },
  { place: 'page', path: '/' },
];

/** Builds it by a bundler, starts the server, and asks for all three. */
export const nextApp =
  (bundler: 'turbopack' | 'webpack') =>
  async (project: Project): Promise<Trial[]> => {
    const next = commandOf(project, 'next');
    const env = { DIST: `.next-${bundler}`, NEXT_TELEMETRY_DISABLED: '1' };
    const built = await warningsOf(project, 'next', (root) =>
      run(next, ['build', `--${bundler}`], { cwd: join(root, 'next'), env }),
    );
    const cwd = join(project.folder, 'next');
    const { url, stop } = await serveBy(next, ['start', '--port', '0'], { cwd, env });
    const trials: Trial[] = [];
    let served: string[] = [];
    try {
      for (const { place, path } of PAGES) {
        trials.push({ place, ...(await visit<Outcome>(`${url}${path}`)) });
      }
      const response = await fetch(`${url}/api/sort`);
      const outcome = (await response.json()) as Outcome;
      trials.push({ place: 'process', outcome, warnings: [] });
    } finally {
      served = linesOf((await stop()).stderr);
    }
    return trials.map((trial) => ({
      ...trial,
      warnings: [...built, ...trial.warnings, ...(trial.place === 'process' ? served : [])],
    }));
  };
