/**
 * The packed packages in every engine that is installed. Writes the record of which the table is
 * made.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSeed } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Display, startDisplay, versionOf } from '../../../tools/test/browsers.js';
import { PAGE_TRIALS } from './engines/engines.js';
import type { Found } from './engines/found.js';
import { PROCESS_TRIALS } from './engines/processes.js';
import { keepRow, rowOf } from './engines/record.js';
import { bundle, FOR_PAGES, type ProgramSite, serveProgram } from './engines/site.js';
import { npm, PACKAGES, pack } from './project.js';

const seed = runSeed();
const trials = [...PROCESS_TRIALS, ...PAGE_TRIALS];
let display: Display | undefined;
let site: ProgramSite;
/** Outside of the workspace: the packages as their users install them, and the suite. */
let installed: string;

beforeAll(async () => {
  display = await startDisplay();
  installed = await mkdtemp(join(tmpdir(), 'keysweep-engines-'));
  const packed = await pack([...PACKAGES, '@keysweep/conformance'], join(installed, 'tarballs'));
  const manifest = JSON.stringify({ private: true, dependencies: packed });
  await writeFile(join(installed, 'package.json'), manifest);
  await npm(installed, 'install', '--prefer-offline');
  site = await serveProgram(await bundle('in-page.ts', { seed }, FOR_PAGES, installed));
});

afterAll(async () => {
  await site?.close();
  await display?.close();
  if (installed !== undefined) await rm(installed, { recursive: true });
});

/** Expects nothing to be wrong, and keeps the row for the record. */
function judge(engine: string, name: string, way: string, found: Found): void {
  const row = rowOf(engine, name, way, found);
  keepRow(row, trials);
  expect({ seed, failed: row.failed }).toEqual({ seed, failed: [] });
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

  for (const { engine, way, parts, warnings = [], program, run } of PROCESS_TRIALS) {
    it(`${engine}, ${way}`, async ({ skip }) => {
      const version = versionOf(program);
      if (version === undefined) return skip(`node tools/install/engines.mjs brings ${engine}`);
      const found = await run({ seed, parts }, installed);
      judge(engine, version, way, found);
      // A part that was skipped would look as if it had passed.
      const tried = found.results.filter(({ passed }) => passed > 0).map(({ part }) => part);
      expect(tried).toEqual(['imports', ...parts]);
      expect(found.warnings).toEqual(warnings);
    });
  }
});
