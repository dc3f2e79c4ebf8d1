/** One run of a program with keysweep, and what was seen of it. */

import { type Headers, ISOLATED, type Site, visit } from './pages.js';
import { type Ended, type RunOptions, run } from './process.js';

/** What the program in consumers/program.js saw. */
export interface Outcome {
  readonly sorts: readonly {
    readonly right: boolean;
    readonly backend: string;
    readonly threads: number;
    readonly fallbacks: readonly string[];
  }[];
  /** What it wrote to its console by `warn` and `error`. */
  readonly warnings: readonly string[];
  readonly isolated: boolean;
}

export type Place = 'process' | 'isolated page' | 'page';

export interface Trial {
  readonly place: Place;
  readonly outcome: Outcome;
  /** What the build, the process or the page's console warned of. */
  readonly warnings: readonly string[];
}

export const linesOf = (text: string): string[] =>
  text.split('\n').filter((line) => line.trim() !== '');

/** What a program printed as JSON in its last line. All else that it printed is warnings. */
export function resultOf<T>(ended: Ended): { result: T; warnings: string[] } {
  const { stdout, stderr } = checked(ended);
  const lines = linesOf(stdout);
  return { result: JSON.parse(lines.pop() ?? ''), warnings: [...lines, ...linesOf(stderr)] };
}

/** @throws Error with all that it printed, for a program that did not end well. */
export function checked(ended: Ended): Ended {
  const { code, stdout, stderr } = ended;
  if (code !== 0) throw new Error(`it ended with code ${code}\n${stdout}${stderr}`);
  return ended;
}

/**
 * Runs the program as a process, which has to end by itself. `before`: what its build warned of.
 */
export async function inProcess(
  command: string,
  args: readonly string[],
  options: RunOptions,
  before: readonly string[] = [],
): Promise<Trial[]> {
  const { result, warnings } = resultOf<Outcome>(await run(command, args, options));
  return [{ place: 'process', outcome: result, warnings: [...before, ...warnings] }];
}

/** Visits a site as an isolated page, and as one that is not. */
export async function inPages(
  makeSite: (headers: Headers) => Promise<Site>,
  before: readonly string[] = [],
): Promise<Trial[]> {
  const trials: Trial[] = [];
  const kinds = { 'isolated page': ISOLATED, page: {} };
  for (const [place, headers] of Object.entries(kinds) as [Place, Headers][]) {
    const site = await makeSite(headers);
    try {
      const { outcome, warnings } = await visit<Outcome>(site.url);
      trials.push({ place, outcome, warnings: [...before, ...warnings] });
    } finally {
      await site.close();
    }
  }
  return trials;
}
