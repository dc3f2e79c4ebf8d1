/** keysweep in every engine that is installed. Prints what served in each. */

import { runSeed } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Display, startDisplay } from '../../../tools/test/browsers.js';
import { ON_CPU, PAGE_TRIALS } from './engines/engines.js';
import type { Found } from './engines/found.js';
import { hasEngine, inDeno, inWorkerd, ON_LAVAPIPE } from './engines/processes.js';
import { bundle, type ProgramSite, serveProgram } from './engines/site.js';

const seed = runSeed();
const rows: object[] = [];
let display: Display | undefined;
let site: ProgramSite;

beforeAll(async () => {
  display = await startDisplay();
  site = await serveProgram(await bundle('in-page.ts', { seed }));
});

afterAll(async () => {
  await site?.close();
  await display?.close();
  console.table(rows);
});

/** Expects nothing to be wrong, and adds a row to the table. */
function judge(engine: string, name: string, way: string, found: Found): void {
  const { isolated, served, warnings, backends, results } = found;
  expect({ seed, failed: results.flatMap(({ failed }) => failed) }).toEqual({ seed, failed: [] });
  const works = (backend: string): boolean => backends[backend]?.works === true;
  const sum = results.reduce((total, { passed }) => total + passed, 0);
  rows.push({
    engine,
    name,
    way,
    isolated,
    ...served,
    warnings: warnings.join(),
    webgpu: works('webgpu'),
    webgl2: works('webgl2'),
    passed: sum,
  });
}

describe('every sort conforms, and importing starts nothing, in', () => {
  for (const { engine, way, place, headers, parts, warnings, find } of PAGE_TRIALS) {
    it(`${engine}, ${way}`, async ({ skip }) => {
      const browser = find(display);
      if (typeof browser === 'string') return skip(`${engine}: ${browser}`);
      const { url, found } = site.open(place, headers, { seed, parts });
      const result = await browser.visit(url, found);
      judge(engine, browser.name, way, result);
      expect(warnings).toEqual(expect.arrayContaining([...result.warnings]));
    });
  }

  it('Deno, with a software GPU', async ({ skip }) => {
    if (!hasEngine('deno')) return skip('node tools/install-engines.mjs brings Deno');
    const parts = [...ON_CPU, 'webgpu', 'RadixSorter'] as const;
    judge('Deno', 'Deno', 'process', await inDeno({ seed, parts }, ON_LAVAPIPE));
  });

  it('workerd', async ({ skip }) => {
    if (!hasEngine('workerd')) return skip('node tools/install-engines.mjs brings workerd');
    judge('workerd', 'workerd', 'request', await inWorkerd({ seed, parts: ON_CPU }));
  });
});
