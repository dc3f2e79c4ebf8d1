/** Runs every test file once without a mutant: which mutants each test comes past, and its time. */

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onRunners } from './runner.mjs';

/** Tests in a browser or of packed packages are others' work. */
const LEFT_OUT = /\.(?:browser|everywhere)\.test\.ts$/;
/** A file whose tests take longer is left to `npm test`, in milliseconds. */
const LIMIT = 120_000;

async function testFilesOf(root, folder) {
  const names = await readdir(join(root, folder, 'test'), { recursive: true });
  return names
    .filter((name) => name.endsWith('.test.ts') && !LEFT_OUT.test(name))
    .map((name) => `${folder}/test/${name}`)
    .sort();
}

const read = (path) => readFile(path, 'utf8').catch(() => '');

/**
 * The tests of the packages in `folders` in the copy at `root`: for each file the mutants that it
 * comes past outside of its tests, those that its processes and threads come past, and each test's
 * milliseconds and own mutants. Tests that are red and files that are slow here are left out, and
 * told of.
 */
export async function cover(root, folders, { jobs, told }) {
  const files = (await Promise.all(folders.map((folder) => testFilesOf(root, folder)))).flat();
  const scratch = await mkdtemp(join(tmpdir(), 'keysweep-covered-'));
  const found = {};
  try {
    await onRunners(
      root,
      { jobs, bail: false },
      [...files.entries()],
      async ([i, file], runner) => {
        const covered = join(scratch, `${i}.json`);
        const start = performance.now();
        const { failure, tests } = await runner.run({ file, covered }, LIMIT);
        const milliseconds = Math.round(performance.now() - start);
        told(`${file}: ${tests.length} tests, ${milliseconds} ms${failure ? `: ${failure}` : ''}`);
        if (tests.length === 0) return;
        const own = JSON.parse((await read(covered)) || '{"always":[],"tests":{}}');
        const children = (await read(`${covered}.children`))
          .split('\n')
          .filter(Boolean)
          .map(Number);
        found[file] = {
          always: own.always,
          children: [...new Set(children)],
          tests: Object.fromEntries(
            tests.map(([name, time]) => [name, { milliseconds: time, ids: own.tests[name] ?? [] }]),
          ),
        };
      },
    );
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return found;
}
