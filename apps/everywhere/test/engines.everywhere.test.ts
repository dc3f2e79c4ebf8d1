/** keysweep in every engine that is installed. Writes the record of which the table is made. */

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { type Display, startDisplay } from './engines/browsers.js';
import { ON_CPU, PAGE_TRIALS } from './engines/engines.js';
import type { Found } from './engines/found.js';
import { hasEngine, inDeno, inWorkerd, ON_LAVAPIPE } from './engines/processes.js';
import { bundle, type ProgramSite, serveProgram } from './engines/site.js';

const RECORD = fileURLToPath(new URL('../../bench/records/engines.json', import.meta.url));

const seed = runSeed();
const rows: object[] = [];
let skipped = 0;
let display: Display | undefined;
let site: ProgramSite;

beforeAll(async () => {
  display = await startDisplay();
  site = await serveProgram(await bundle('in-page.ts', { seed }));
});

afterAll(async () => {
  await site?.close();
  await display?.close();
  // A part of the table would not be one.
  if (skipped === 0) await writeFile(RECORD, `${JSON.stringify({ rows }, null, 2)}\n`);
});

/** Expects nothing to be wrong, and adds a row to the record. */
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
    warnings,
    webgpu: works('webgpu'),
    webgl2: works('webgl2'),
    passed: sum,
  });
}

function leaveOut({ skip }: TestContext, reason: string): void {
  skipped++;
  skip(reason);
}

describe('every sort conforms, and importing starts nothing, in', () => {
  for (const { engine, way, place, headers, parts, warnings, find } of PAGE_TRIALS) {
    it(`${engine}, ${way}`, async (context) => {
      const browser = find(display);
      if (typeof browser === 'string') return leaveOut(context, `${engine}: ${browser}`);
      const { url, found } = site.open(place, headers, { seed, parts });
      const result = await browser.visit(url, found);
      judge(engine, browser.name, way, result);
      expect(warnings).toEqual(expect.arrayContaining([...result.warnings]));
    });
  }

  it('Deno, with a software GPU', async (context) => {
    if (!hasEngine('deno')) return leaveOut(context, 'node tools/install-engines.mjs brings Deno');
    const parts = [...ON_CPU, 'webgpu', 'RadixSorter'] as const;
    judge('Deno', 'Deno', 'process', await inDeno({ seed, parts }, ON_LAVAPIPE));
  });

  it('workerd', async (context) => {
    if (!hasEngine('workerd')) {
      return leaveOut(context, 'node tools/install-engines.mjs brings workerd');
    }
    judge('workerd', 'workerd', 'request', await inWorkerd({ seed, parts: ON_CPU }));
  });
});
