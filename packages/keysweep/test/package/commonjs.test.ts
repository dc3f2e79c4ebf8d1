/** The CommonJS build, alone and beside the ES modules. */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { type InputOptions, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));

/** What a CommonJS script of this package's folder prints, as JSON. */
async function run(script: string, ...flags: string[]): Promise<unknown> {
  const args = [...flags, '--input-type=commonjs', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: here });
  return JSON.parse(stdout);
}

/** Sorts on threads, which run the ES modules' file. */
const SORTED_BY_THREADS = `
  const keys = Uint32Array.from({ length: 300_000 }, (_, i) => (i * 2654435761) >>> 0);
  const expected = keys.slice().sort();
  const sorter = await createSorter({ backends: [cpu({ threads: 2, threadsFrom: 1 })] });
  let report;
  await sorter.sort(keys, { backend: 'cpu', onReport: (value) => { report = value; } });
  await sorter.close();
  const isSorted = keys.every((key, i) => key === expected[i]);
  console.log(JSON.stringify({ isSorted, backend: report.backend, fallbacks: report.fallbacks }));
`;

const SORTED = { isSorted: true, backend: 'cpu', fallbacks: [] };

describe('require', () => {
  it('gives the functions of import', async () => {
    const script = `
      const required = require('keysweep');
      import('keysweep').then((imported) => console.log(JSON.stringify({
        required: Object.keys(required).sort(),
        imported: Object.keys(imported).sort(),
      })));
    `;
    const { required, imported } = (await run(script)) as Record<string, string[]>;
    expect(required).toContain('argsort');
    expect(required).toEqual(imported);
  });

  it('sorts on threads', async () => {
    const script = `
      const { createSorter } = require('keysweep');
      const { cpu } = require('@keysweep/cpu');
      (async () => {${SORTED_BY_THREADS}})();
    `;
    expect(await run(script)).toEqual(SORTED);
  });

  it('loads neither the dispatcher nor a backend with the package', async () => {
    const script = `
      const before = Object.getOwnPropertySymbols(globalThis).length;
      require('keysweep');
      const files = Object.keys(require.cache).map((file) => file.replaceAll('\\\\\\\\', '/'));
      const globals = Object.getOwnPropertySymbols(globalThis).length - before;
      console.log(JSON.stringify({ globals, files }));
    `;
    const { globals, files } = (await run(script)) as { globals: number; files: string[] };
    expect(globals).toBe(0);
    expect(files.some((file) => file.endsWith('/keysweep/dist/cjs/index.cjs'))).toBe(true);
    const few = /\/(core|keysweep)\/dist\/cjs\/(index|shared-(builtin|few|row-columns))\.cjs$/;
    expect(files.filter((file) => !few.test(file))).toEqual([]);
  });
});

it("gives a worker's file that a page can run as it is", () => {
  const file = createRequire(import.meta.url).resolve('@keysweep/cpu/worker');
  const listened: string[] = [];
  const scope = { addEventListener: (type: string) => listened.push(type) };
  runInNewContext(readFileSync(file, 'utf8'), scope);
  expect(listened).toEqual(['message']);
});

/** The files of CommonJS that a tool finds for keysweep and its backends, by name. */
async function filesFoundBy(resolve: NonNullable<InputOptions['resolve']>): Promise<string[]> {
  const built = await rolldown({
    input: fileURLToPath(new URL('../../dist/cjs/index.cjs', import.meta.url)),
    platform: 'neutral',
    external: [/^node:/, 'piscina', 'webgpu', 'gpu.js'],
    resolve,
  });
  const { output } = await built.generate({ format: 'cjs' });
  await built.close();
  const ids = output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  expect(ids.filter((id) => /[/\\]dist[/\\](?!cjs)/.test(id))).toEqual([]);
  return ids.map((id) => basename(id.replaceAll('\\', '/')));
}

const NODE = ['machine-node.cjs', 'threads-node.cjs', 'copy-node.cjs', 'gpu-node.cjs'];
const PAGE = ['machine-page.cjs', 'threads-web.cjs', 'copy-web.cjs', 'gpu-page.cjs'];

describe('a tool that bundles CommonJS, or runs it itself', () => {
  it.each([
    ["by the conditions 'node' and 'require'", ['node', 'require'], NODE, PAGE],
    ["by the conditions 'browser' and 'require'", ['browser', 'require'], PAGE, NODE],
    // Jest with jsdom has both.
    [
      "by the conditions 'node', 'browser' and 'require'",
      ['node', 'browser', 'require'],
      PAGE,
      NODE,
    ],
  ])('finds the right modules %s', async (_, conditionNames, wanted, others) => {
    const found = await filesFoundBy({ conditionNames });
    expect(found).toEqual(expect.arrayContaining(wanted));
    expect(found.filter((name) => others.includes(name))).toEqual([]);
  });

  it("finds a page's modules by 'main' and 'browser', if it reads no conditions", async () => {
    const found = await filesFoundBy({
      exportsFields: [],
      mainFields: ['main'],
      aliasFields: [['browser']],
    });
    expect(found).toEqual(expect.arrayContaining(PAGE));
    // Those hold `#machine` and the like, which such a tool cannot resolve.
    const others = [...NODE, 'machine.cjs', 'threads.cjs', 'copy.cjs', 'gpu.cjs'];
    expect(found.filter((name) => others.includes(name))).toEqual([]);
  });
});

describe('an ES module and CommonJS in one program', () => {
  it('take turns on one array', async () => {
    const script = `
      const required = require('keysweep');
      import('keysweep').then(async (imported) => {
        const keys = Uint32Array.from({ length: 1000 }, (_, i) => 999 - i);
        const phases = { first: [], second: [] };
        const order = [];
        const call = (module, name) =>
          module
            .sort(keys, { onProgress: ({ phase }) => phases[name].push(phase) })
            .then(() => order.push(name));
        await Promise.all([call(required, 'first'), call(imported, 'second')]);
        const waited = ['first', 'second'].filter((name) => phases[name].includes('queue'));
        const isSorted = keys.every((key, i) => key === i);
        const isSame = required.sort === imported.sort;
        console.log(JSON.stringify({ isSame, waited, order, isSorted }));
      });
    `;
    expect(await run(script)).toEqual({
      isSame: false,
      waited: ['second'],
      order: ['first', 'second'],
      isSorted: true,
    });
  });
});
