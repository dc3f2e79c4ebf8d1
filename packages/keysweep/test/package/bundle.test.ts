/** What a page downloads: how large it is, and when it comes. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInThisContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { type OutputChunk, rolldown } from 'rolldown';
import { describe, expect, it } from 'vitest';

const here = fileURLToPath(new URL('.', import.meta.url));

/** Bytes, minified and gzipped. */
const CORE_MOST = 6.6 * 1024;
const WEBGPU_MOST = 56 * 1024;
const SORTED_MOST = 20 * 1024;
const SYNC_MOST = { withoutTables: 30.25 * 1024, withTables: 49.25 * 1024 };

/** Modules that only larger arrays need. */
const LATER = /[/-](builtin-rows|in-order|create|dispatcher|planner|plan|calibrate|backends)\.js/;

/** The chunks of a page with this script, as rolldown splits them for browsers. */
async function bundle(script: string): Promise<readonly OutputChunk[]> {
  const folder = await mkdtemp(join(here, 'bundle-'));
  try {
    const input = join(folder, 'page.js');
    await writeFile(input, script);
    const built = await rolldown({ input, platform: 'browser' });
    const { output } = await built.generate({ dir: tmpdir(), minify: true });
    await built.close();
    return output.filter((file) => file.type === 'chunk');
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A chunk and those that it imports, without what was loaded before. */
function loadedWith(
  chunk: OutputChunk,
  chunks: readonly OutputChunk[],
  before: ReadonlySet<OutputChunk> = new Set(),
): ReadonlySet<OutputChunk> {
  const loaded = new Set([chunk]);
  // A set's iterator also comes to what is added on the way.
  for (const { imports } of loaded) {
    for (const other of chunks) {
      if (imports.includes(other.fileName) && !before.has(other)) loaded.add(other);
    }
  }
  return loaded;
}

const gzipped = (chunks: Iterable<OutputChunk>): number =>
  [...chunks].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0);

const modulesOf = (chunks: Iterable<OutputChunk>): string[] =>
  [...chunks].flatMap(({ moduleIds }) => moduleIds.map((id) => id.replaceAll('\\', '/')));

describe('a page that imports sort', () => {
  it('downloads what small arrays need, and each GPU backend by a file of its own', async () => {
    const chunks = await bundle(`import { sort } from 'keysweep'; globalThis.sort = sort;`);
    const entry = chunks.find(({ isEntry }) => isEntry) as OutputChunk;
    const core = loadedWith(entry, chunks);
    const foreign = modulesOf(core).filter(
      (id) => !/\/packages\/(core|keysweep)\/(dist|test)\//.test(id),
    );
    expect(foreign).toEqual([]);
    expect(modulesOf(core).join()).not.toMatch(LATER);
    // gpu.js is here, and optional: a bundler that sees it would bring it along, or fail without.
    const webgl2 = modulesOf(chunks).filter((id) => id.includes('/packages/webgl2/'));
    expect(webgl2.length).toBeGreaterThan(0);
    expect(modulesOf(chunks).filter((id) => id.includes('/node_modules/'))).toEqual([]);
    const gpu = chunks.find((chunk) =>
      modulesOf([chunk]).some((id) => id.endsWith('/packages/webgpu/dist/backend.js')),
    ) as OutputChunk;
    const dispatcher = chunks.find((chunk) =>
      modulesOf([chunk]).some((id) => id.endsWith('/keysweep/dist/run/dispatcher.js')),
    ) as OutputChunk;
    // The CPU's backend comes with the dispatcher: one request for code before the first sort.
    expect(modulesOf([dispatcher]).join()).toMatch(/\/packages\/cpu\/dist\/backend\.js/);
    const before = new Set([...core, ...loadedWith(dispatcher, chunks, core)]);
    const webgpu = loadedWith(gpu, chunks, before);
    // Only RadixSorter sorts segments in GPU memory, if it is made for that.
    expect(modulesOf(webgpu).join()).not.toMatch(/wgsl-segments|segment-sort|first-sort/);
    const sizes = { core: gzipped(core), webgpu: gzipped(webgpu) };
    console.log(`gzipped: core path ${sizes.core} bytes, WebGPU part ${sizes.webgpu}`);
    expect(sizes.core).toBeLessThanOrEqual(CORE_MOST);
    expect(sizes.webgpu).toBeLessThanOrEqual(WEBGPU_MOST);
  });
});

describe('a page that imports sortSync', () => {
  const bundleOf = (names: string) =>
    bundle(`import { ${names} } from 'keysweep/sync'; globalThis.sync = { ${names} };`);

  it('downloads one file, kernels included, that waits for nothing', async () => {
    const chunks = await bundleOf('sortSync, sortPairsSync, argsortSync, releaseSync');
    expect(chunks).toHaveLength(1);
    const [{ code, dynamicImports }] = chunks as [OutputChunk];
    expect(dynamicImports).toEqual([]);
    expect(code).not.toMatch(/\basync\b|\bimport\(/);
    // A plain script cannot await: with a top-level await it would not even be parsed.
    runInThisContext(code);
    const { sync } = globalThis as unknown as { sync: typeof import('keysweep/sync') };
    expect(sync.argsortSync({ keys: ['b', 'a'] })).toEqual(Uint32Array.of(1, 0));
    expect(sync.sortSync(new Int32Array(5000).map((_, i) => -i))[0]).toBe(-4999);
    console.log(`gzipped: keysweep/sync ${gzipped(chunks)} bytes`);
    expect(gzipped(chunks)).toBeLessThanOrEqual(SYNC_MOST.withTables);
  });

  it('downloads what tables need with argsortSync alone', async () => {
    const chunks = await bundleOf('sortSync, sortPairsSync, releaseSync');
    console.log(`gzipped: without argsortSync ${gzipped(chunks)} bytes`);
    expect(gzipped(chunks)).toBeLessThanOrEqual(SYNC_MOST.withoutTables);
  });
});

describe('a page that imports keysweep/sorted', () => {
  it('downloads all of it at once, but what sorts asynchronously when that is called', async () => {
    const chunks = await bundle(
      `import * as sorted from 'keysweep/sorted'; globalThis.sorted = sorted;`,
    );
    const entry = chunks.find(({ isEntry }) => isEntry) as OutputChunk;
    const loaded = loadedWith(entry, chunks);
    expect(modulesOf(loaded).join()).not.toMatch(/dispatcher|wasm|generated/);
    console.log(`gzipped: keysweep/sorted ${gzipped(loaded)} bytes`);
    expect(gzipped(loaded)).toBeLessThanOrEqual(SORTED_MOST);
  });
});

describe('a process that sorts 100 elements', () => {
  it('loads neither the dispatcher nor a backend nor a worker', async () => {
    const script = `
      let threads = 0;
      process.on('worker', () => threads++);
      const { sort } = await import('keysweep');
      const keys = Float32Array.from({ length: 100 }, () => Math.random());
      await sort(keys);
      const { sharedObjects } = process.report.getReport();
      const files = sharedObjects.filter((file) => /webgpu|dawn/.test(file));
      const sorted = keys.every((key, i) => i === 0 || keys[i - 1] <= key);
      console.log(JSON.stringify({ sorted, threads, files }));
    `;
    const hooks = `
      import { writeSync } from 'node:fs';
      export async function load(url, context, next) {
        if (url.startsWith('file:')) writeSync(2, url + '\\n');
        return next(url, context);
      }
    `;
    const asModule = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
    const register = `import { register } from 'node:module';
      register(${JSON.stringify(asModule(hooks))});`;
    const run = (...flags: string[]) =>
      promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', script], {
        cwd: here,
        timeout: 500_000,
      });
    // Hooks run on a thread of their own.
    expect(JSON.parse((await run()).stdout)).toEqual({ sorted: true, threads: 0, files: [] });
    const { stderr } = await run('--import', asModule(register));
    const loaded = stderr.split('\n').filter((line) => line.startsWith('file:'));
    expect(loaded.some((url) => url.endsWith('/keysweep/dist/index-node.js'))).toBe(true);
    const others = loaded.filter((url) => !/\/packages\/(core|keysweep)\/dist\//.test(url));
    expect(others).toEqual([]);
    expect(loaded.join()).not.toMatch(LATER);
  });
});
