/** keysweep in Firefox, which runs SpiderMonkey: the suite by what needs no GPU. */

import { runSeed, sample } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFirefox } from '../../../tools/test/browsers.js';
import type { Part } from './engines/found.js';
import { bundle, type ProgramSite, serveProgram } from './engines/site.js';
import { type Headers, ISOLATED } from './pages.js';

const seed = runSeed();
const firefox = findFirefox();
let site: ProgramSite;

beforeAll(async () => {
  site = await serveProgram(await bundle('in-page.ts', { seed }));
});
afterAll(() => site?.close());

describe('every sort conforms in Firefox, and importing starts nothing', () => {
  const pages: readonly [name: string, headers: Headers, parts: readonly Part[]][] = [
    ['isolated', ISOLATED, ['NaN bits', 'auto', 'cpu', 'sync']],
    ['not isolated', {}, ['auto', 'cpu']],
  ];

  it.for(sample(pages, 1, seed))(
    'in a page that is %s',
    async ([name, headers, parts], { skip }) => {
      if (firefox === undefined) return skip('no firefox-esr or firefox is installed');
      const { url, found } = site.open('page', headers, { seed, parts });
      const { isolated, warnings, served, results } = await firefox.visit(url, found);
      expect({ seed, failed: results.flatMap(({ failed }) => failed) }).toEqual({
        seed,
        failed: [],
      });
      expect(results.map(({ part }) => part)).toEqual(['imports', ...parts]);
      expect(results.every(({ passed }) => passed > 0)).toBe(true);
      expect({ isolated, warnings }).toEqual({ isolated: name === 'isolated', warnings: [] });
      // How many threads depends on the machine.
      expect(served.backend).toBe('cpu');
    },
  );
});
