/** `first-sorts`: the first sort of a process or page, or a later one, beside the built-in one. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type FirstCase, type FirstSort, SORTERS, type SorterName } from '../first/first-sort.js';
import type { FirstTold } from '../first/page.js';
import { areRight, type SuiteCase, suite } from '../measure/suite.js';
import { startChromium } from '../pages/browser.js';
import { startFirefox } from '../pages/firefox.js';
import { type FreshPages, openFreshPages } from '../pages/fresh-pages.js';
import { BROWSER_FLAGS, BROWSER_HELP, folderOf } from '../pages/site.js';
import { startWebKit } from '../pages/webkit.js';
import type { Command } from '../program/command.js';

export interface FirstResult extends FirstCase {
  readonly operation: 'sort';
  readonly distribution: 'random';
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly verified: boolean;
}

const KEY_TYPES = ['u32', 'i32', 'f32', 'f64', 'u64', 'u8', 'i16'] as const;

/** A page with 10^7 keys takes seconds, most of which goes into making and checking them. */
const LONG = 1e7;

/** Milliseconds of other sorts, in which the engine compiles the sort and threads start. */
const LATER = 1000;

const casesOf = (lengths: readonly number[], before: number): FirstCase[] =>
  KEY_TYPES.flatMap((keyType) => lengths.map((length) => ({ keyType, length, before })));

const NAMES: Readonly<Record<SorterName, string>> = { ours: 'keysweep', theirs: 'built-in' };

type SortFirst = (who: SorterName, one: FirstCase, seed: number) => Promise<FirstSort>;

const inProcess: SortFirst = async (who, { keyType, length, before }, seed) => {
  const file = fileURLToPath(new URL('../first/process.js', import.meta.url));
  const args = [file, who, keyType, `${length}`, `${before}`, `${seed}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as FirstSort;
};

/** The first sort of a fresh page. */
const inPage =
  (pages: FreshPages, file: string | undefined): SortFirst =>
  async (...sort) => {
    const told: FirstTold = { sort, file };
    const sorted = await pages.visit<FirstSort | { readonly error: string }>(told);
    if ('error' in sorted) throw new Error(sorted.error);
    return sorted;
  };

export const command: Command = suite({
  help: `Times the first sort of a fresh process, or of a fresh page, and the built-in sort in
another, alternately. The import of keysweep does not count; whatever the call loads and starts
does. All pages are of one browser, and each has a process of its own. npm run bundle makes the
page. Cases have names such as 'f64 1000000'.

  --later         a sort after a second of others of its kind and length, in place of the first
  --page          in Chromium
  --firefox FILE  in Firefox
  --webkit FILE   in the MiniBrowser of WebKitGTK, on a display of Xvfb
  --not-isolated  in a page without the headers that isolate it from other origins
  --one-file      the page loads keysweep.min.js, in place of modules that a bundler has made
${BROWSER_HELP}`,
  flags: {
    later: false,
    page: false,
    firefox: undefined,
    webkit: undefined,
    'not-isolated': false,
    'one-file': false,
    chromium: BROWSER_FLAGS.chromium.default,
    flags: BROWSER_FLAGS.flags.default,
  },
  async open(values, { random }) {
    const { page, firefox, webkit, chromium, flags } = values;
    const isIsolated = !values['not-isolated'];
    const browser =
      firefox !== undefined ? 'Firefox' : webkit !== undefined ? 'WebKitGTK' : 'Chromium';
    const start = (url: string) => {
      if (firefox !== undefined) return startFirefox(url, [firefox]);
      if (webkit !== undefined) return startWebKit(url, webkit);
      return startChromium(url, chromium, flags.split(' '));
    };
    const isPage = page || browser !== 'Chromium';
    const pages = isPage
      ? await openFreshPages(folderOf('first'), start, { isIsolated })
      : undefined;
    const file = values['one-file'] ? '/keysweep.min.js' : undefined;
    const sortFirst = pages === undefined ? inProcess : inPage(pages, file);
    const where = isPage ? `${isIsolated ? 'isolated ' : ''}page` : 'process';
    return {
      about: { where, ...(isPage && { browser, ...(file && { file }) }) },
      close: async () => pages?.close(),
      cases: casesOf(
        isPage ? [1e3, 1e4, 1e5, 1e6, LONG] : [1e3, 1e4, 1e5, 3e5, 1e6, 3e6],
        values.later ? LATER : 0,
      ).map(
        (one): SuiteCase<FirstResult> => ({
          name: `${one.keyType} ${one.length}`,
          samples: one.length < LONG ? 10 : 3,
          warmUps: 0,
          makeRound() {
            const seed = random.bits();
            return {
              ways: SORTERS.map((who) => ({
                name: NAMES[who],
                run: () => sortFirst(who, one, seed),
              })),
              check: ({ verified }: FirstSort) => (verified ? undefined : 'its result'),
            };
          },
          timeOf: ({ milliseconds }: FirstSort) => milliseconds,
          resultsOf(timings) {
            const [ours = [], theirs = []] = timings.map(({ milliseconds }) => milliseconds);
            const verified = areRight(timings);
            const what = { operation: 'sort', ...one, distribution: 'random' } as const;
            return [{ ...what, ours, theirs, verified }];
          },
        }),
      ),
    };
  },
});
