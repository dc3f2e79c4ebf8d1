/**
 * The packed suite of an outsider, in a folder outside the workspace: the guide in
 * packages/conformance/README.md as it stands, by each runner, and all wrong backends made of it.
 */

import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { CHECKS } from '@keysweep/conformance/suite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ended, run } from './process.js';
import { NODE, npm, PACKAGES, pack } from './project.js';
import { FLAWS, fileOf, readGuide, trialOf, tryToys, type Verdict, writeToys } from './toys.js';

const CONSUMERS = fileURLToPath(new URL('../consumers/', import.meta.url));

const guide = await readGuide();
const seed = runSeed();
const env = { KEYSWEEP_SEED: `${seed}` };
let base: string;
let folder: string;

/** Runs a program of the guide; `toy` is the file of a backend to take in place of its own. */
async function runGuide(args: readonly string[], toy?: string): Promise<Ended> {
  const last = args.at(-1) as string;
  if (toy === undefined) return run(NODE, args, { cwd: folder, env });
  const wrong = `wrong.${last}`;
  const code = guide.files.get(last) as string;
  await writeFile(join(folder, wrong), code.replace('./mine.js', toy));
  return run(NODE, [...args.slice(0, -1), wrong], { cwd: folder, env });
}

beforeAll(async () => {
  base = await mkdtemp(join(tmpdir(), 'keysweep-outsider-'));
  folder = join(base, 'project');
  await cp(join(CONSUMERS, 'conformance'), folder, { recursive: true });
  const all = await pack(['@keysweep/conformance', ...PACKAGES], join(base, 'tarballs'));
  const names = ['@keysweep/conformance', '@keysweep/core'];
  const dependencies = Object.fromEntries(names.map((name) => [name, all[name]]));
  const manifest = { name: 'outsider', private: true, type: 'module', dependencies };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await npm(folder, 'install', '--prefer-offline');
  await writeToys(guide, folder);
});

afterAll(() => rm(base, { recursive: true }));

/** How the guide runs the suite without Vitest. */
const PROGRAMS = ['prove.js', '--test mine.node-test.js'];

describe('without Vitest', () => {
  it('nothing of it is installed', async () => {
    const installed = await readdir(join(folder, 'node_modules'));
    expect(installed.filter((name) => !name.startsWith('.')).sort()).toEqual([
      '@keysweep',
      'fast-check',
      'pure-rand',
    ]);
  });

  it.each(PROGRAMS)("the guide's backend passes: node %s", async (program) => {
    const { code, stdout, stderr } = await runGuide(program.split(' '));
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`mine: ${CHECKS.length} of ${CHECKS.length} checks passed`);
  });

  it.each(PROGRAMS)('a wrong one fails by name: node %s', async (program) => {
    const toy = fileOf('sorts segments together');
    const { code, stdout, stderr } = await runGuide(program.split(' '), toy);
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('sorts each segment on its own');
    expect(stdout + stderr).toContain(`KEYSWEEP_SEED=${seed}`);
  });
});

describe('the whole suite catches a backend that', () => {
  let verdicts: Verdict[];

  beforeAll(async () => {
    verdicts = await tryToys(
      folder,
      guide.toys.map((toy) => trialOf(toy, '')),
      seed,
    );
    const lines = guide.toys.map(({ flaw }, i) => {
      const failed = verdicts[i]?.failed ?? [];
      return `${flaw}: ${failed.map(({ name }) => name).join('; ')}`;
    });
    console.log(`of ${CHECKS.length} checks these failed, seed ${seed}\n${lines.join('\n')}`);
  });

  it.each(guide.toys.map((toy, i) => ({ ...toy, i })))('$flaw', ({ caughtBy, i }) => {
    const names = verdicts[i]?.failed.map(({ name }) => name);
    expect(names).toContainEqual(expect.stringMatching(new RegExp(caughtBy)));
  });

  it('has each mistake that is made of the example', () => {
    expect(guide.toys.map(({ flaw }) => flaw).sort()).toEqual([...FLAWS].sort());
  });
});

describe('by Vitest', () => {
  beforeAll(async () => {
    const text = await readFile(join(CONSUMERS, 'package.json'), 'utf8');
    const { devDependencies } = JSON.parse(text) as { devDependencies: { vitest: string } };
    await npm(folder, 'install', '--prefer-offline', `vitest@${devDependencies.vitest}`);
  });

  const vitest = (toy?: string) =>
    runGuide([join('node_modules', 'vitest', 'vitest.mjs'), 'run', 'mine.test.js'], toy);

  it("the guide's backend passes", async () => {
    const { code, stdout, stderr } = await vitest();
    expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`mine: ${CHECKS.length} of ${CHECKS.length} checks passed`);
  });

  it('a wrong one fails by name', async () => {
    const { code, stdout, stderr } = await vitest(fileOf('sorts segments together'));
    expect(code).toBe(1);
    expect(stdout + stderr).toContain('sorts each segment on its own');
  });
});

it("keysweep sorts with the guide's backend", async () => {
  const all = (await readdir(join(base, 'tarballs'))).map((file) => join(base, 'tarballs', file));
  await npm(folder, 'install', '--prefer-offline', ...all);
  const { code, stdout, stderr } = await runGuide(['sort.js']);
  expect({ code, stderr }, stdout).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^cpu\nFloat32Array\(5\) \[ -1, -0, 0, 2\.5, NaN \]\n$/);
});
