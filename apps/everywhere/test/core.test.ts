/** keysweep as its users have it: packages from tarballs, and the tools that most of them use. */

import { sample } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CORE } from './consumers.js';
import { judge } from './judge.js';
import { closeBrowser } from './pages.js';
import { run } from './process.js';
import { installProject, NODE, type Project } from './project.js';

let project: Project;

beforeAll(async () => {
  project = await installProject(['esbuild', 'vite', 'webpack']);
});

afterAll(async () => {
  await closeBrowser();
  await project?.remove();
});

describe("a million keys are sorted by 'auto', fast and in silence, in", () => {
  for (const consumer of sample(CORE, 1)) {
    it(`${consumer.name}, ${consumer.way}`, async () => {
      await judge(consumer, project);
    });
  }
});

describe('importing keysweep', () => {
  it.each(['imports.mjs', 'imports.cjs'])('starts nothing: %s', async (file) => {
    const { stdout, stderr } = await run(NODE, [file], { cwd: project.folder });
    expect({ ...JSON.parse(stdout), stderr }).toEqual({ started: [], exports: true, stderr: '' });
  });
});
