/** `first-sorts`: the first sort of a process, or of a page, beside the built-in one. */

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { CommonKeyType } from '@keysweep/conformance/data';
import { type FirstCase, type FirstSort, SORTERS, type SorterName } from '../first/first-sort.js';
import { areRight, type SuiteCase, suite } from '../measure/suite.js';
import { BROWSER_FLAGS, BROWSER_HELP, fromFirefox, withSite } from '../pages/site.js';
import type { Command } from '../program/command.js';

export interface FirstResult extends FirstCase {
  readonly operation: 'sort';
  readonly distribution: 'random';
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
  readonly verified: boolean;
}

const casesOf = (keyTypes: readonly CommonKeyType[], lengths: readonly number[]): FirstCase[] =>
  keyTypes.flatMap((keyType) => lengths.map((length) => ({ keyType, length })));

/** Keys of 8 and 16 bits go to the built-in sort until there are so many. */
const CASES: readonly FirstCase[] = [
  ...casesOf(['u32', 'f32', 'u64', 'f64'], [1e3, 1e4, 1e5, 3e5, 1e6, 3e6]),
  ...casesOf(['u8', 'i16'], [1e3, 1e4, 1e5]),
];

const NAMES: Readonly<Record<SorterName, string>> = { ours: 'keysweep', theirs: 'built-in' };

type SortFirst = (who: SorterName, one: FirstCase, seed: number) => Promise<FirstSort>;

const inProcess: SortFirst = async (who, { keyType, length }, seed) => {
  const file = fileURLToPath(new URL('../first/process.js', import.meta.url));
  const args = [file, who, keyType, `${length}`, `${seed}`];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as FirstSort;
};

export const command: Command = suite({
  help: `Times the first sort of a fresh process, or with --page of a page in a fresh browser, and
the built-in sort in another, alternately. The import of keysweep does not count; whatever the call
loads and starts does. npm run bundle makes the page. Cases have names such as 'f64 1000000'.

  --page          in Chromium
  --firefox FILE  in Firefox
  --not-isolated  in a page without the headers that isolate it from other origins
${BROWSER_HELP}`,
  flags: {
    page: false,
    firefox: undefined,
    'not-isolated': false,
    chromium: BROWSER_FLAGS.chromium.default,
    flags: BROWSER_FLAGS.flags.default,
  },
  open(values, { random }) {
    const { firefox } = values;
    const isIsolated = !values['not-isolated'];
    const inPage: SortFirst = (...args) =>
      withSite(
        'first',
        values,
        (browser) => browser.evaluate(`sortFirst(${args.map((one) => JSON.stringify(one))})`),
        { path: '', isReady: "document.title === 'ready'", isIsolated },
      );
    const inFirefox: SortFirst = (...args) => {
      const path = `#${encodeURIComponent(JSON.stringify(args))}`;
      return fromFirefox('first', firefox as string, { path, isIsolated });
    };
    const isPage = values.page || firefox !== undefined;
    const sortFirst = firefox !== undefined ? inFirefox : values.page ? inPage : inProcess;
    const where = isPage ? `${isIsolated ? 'isolated ' : ''}page` : 'process';
    return {
      about: { where, ...(isPage && { browser: firefox === undefined ? 'Chromium' : 'Firefox' }) },
      cases: CASES.map(
        (one): SuiteCase<FirstResult> => ({
          name: `${one.keyType} ${one.length}`,
          samples: 10,
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
