/** The packages as npm would publish them: their tarballs, manifests, entries and types. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { NOT_DRAWN, sample } from '@keysweep/conformance/data';
import { publint } from 'publint';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

type Json = { readonly [key: string]: Json } | string | boolean;

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Record<string, Json>;
  readonly dependencies?: Record<string, string>;
  readonly [field: string]: unknown;
}

const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

const dirs = readdirSync(join(ROOT, 'packages'))
  .map((dir) => `packages/${dir}`)
  .concat('kernels', 'apps/cli');
const packages = new Map(
  dirs
    .map((dir) => [dir, readJson(`${dir}/package.json`) as Manifest] as const)
    .filter(([, manifest]) => manifest.private !== true),
);

const names = Array.from(packages.values(), ({ name }) => name);
/** Whose types a quick run checks, which takes half a second each. */
const typesOf = sample(names, 5);

/** What only an ES module can import: Vitest, and a reader of Parquet, are only ES modules. */
const ESM_ONLY = ['@keysweep/conformance', '@keysweep/files'];

/** Files that are for pages, which read no `package.json`, and import only ES modules. */
const FOR_PAGES = ['./bundle'];

/** What `npm pack` would publish of every package. */
const folder = mkdtempSync(join(tmpdir(), 'keysweep-pack-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Tarball {
  readonly name: string;
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

/** Packs without `prepack`: the tests come after the build. */
function pack(): Map<string, Tarball> {
  const args = names.flatMap((name) => ['--workspace', name]);
  const printed = execFileSync(
    'npm',
    ['pack', ...args, '--json', '--ignore-scripts', '--pack-destination', folder],
    { cwd: ROOT, encoding: 'utf8', shell: process.platform === 'win32', stdio: ['ignore', 'pipe'] },
  );
  // npm 12 prints an object by name, older ones a list.
  const tarballs = Object.values(JSON.parse(printed) as Record<string, Tarball>);
  return new Map(tarballs.map((tarball) => [tarball.name, tarball]));
}

const tarballs = pack();

const tarballOf = (name: string): Tarball => {
  const tarball = tarballs.get(name);
  if (tarball === undefined) throw new Error(`npm packed no ${name}`);
  return tarball;
};

const bytesOf = (name: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(readFileSync(join(folder, tarballOf(name).filename)));

/** All files that a part of a manifest names. */
const filesIn = (json: Json | undefined): string[] => {
  if (typeof json === 'string') return /^(\.|bin)\//.test(json) ? [posix.normalize(json)] : [];
  return json === undefined || typeof json === 'boolean'
    ? []
    : Object.values(json).flatMap(filesIn);
};

it('packs every package that is not private', () => {
  expect(names).toContain('keysweep');
  expect([...tarballs.keys()].sort()).toEqual([...names].sort());
  const kilobytes = Array.from(tarballs.values(), ({ name, size }) => `${name} ${size >> 10}`);
  console.log(`KiB packed: ${kilobytes.join(', ')}`);
});

/** Entries that start something: a worker's code, tests, and AWS's client, which opens stdin. */
const STARTERS = [
  '@keysweep/cpu/worker',
  '@keysweep/external/s3',
  '@keysweep/conformance',
  '@keysweep/conformance/node-test',
];

/** Imports modules, and prints what each has started: threads, timers, handles, requests. */
const IMPORT_ALL = `
  import { createRequire } from 'node:module';
  const { watch } = createRequire(import.meta.url)('./apps/everywhere/consumers/watch.cjs');
  const listStarted = watch();
  for (const name of process.argv.slice(1)) await import(name);
  console.log(JSON.stringify(await listStarted()));
`;

it('starts nothing and says nothing when its entries are imported', () => {
  const entries = Array.from(packages.values(), ({ name, exports = {} }) =>
    Object.keys(exports).map((entry) => posix.join(name, entry)),
  ).flat();
  const imported = entries.filter((name) => !STARTERS.includes(name));
  expect(imported).toEqual(expect.arrayContaining(['keysweep', 'keysweep/bundle']));
  const args = ['--input-type=module', '--eval', IMPORT_ALL, ...imported];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '[]\n', stderr: '' });
});

it('has manifests that npm publishes as they are', () => {
  const copies = join(folder, 'manifests');
  const write = (dir: string, manifest: object): void => {
    mkdirSync(join(copies, dir), { recursive: true });
    writeFileSync(join(copies, dir, 'package.json'), JSON.stringify(manifest));
  };
  write('.', { private: true, workspaces: [...packages.keys()] });
  for (const [dir, manifest] of packages) write(dir, manifest);
  const options = { cwd: copies, shell: process.platform === 'win32', stdio: 'pipe' } as const;
  execFileSync('npm', ['pkg', 'fix', '--workspaces'], options);
  for (const [dir, manifest] of packages) {
    expect(JSON.parse(readFileSync(join(copies, dir, 'package.json'), 'utf8'))).toEqual(manifest);
  }
});

it('says one version everywhere', () => {
  const machine = readFileSync(join(ROOT, 'packages/keysweep/src/machine/machine.ts'), 'utf8');
  const [, version] = /VERSION = '(.*)'/.exec(machine) ?? [];
  const versions = Array.from(packages.values(), (manifest) => manifest.version);
  expect([...new Set(versions)]).toEqual([version]);
});

it('has workflows that are YAML, of known actions, on every system and line of Node', () => {
  const read = (name: string) =>
    parse(readFileSync(join(ROOT, '.github/workflows', name), 'utf8'), { strict: true });
  const [ci, release] = ['ci.yml', 'release.yml'].map(read);
  expect(ci.jobs.test.strategy.matrix).toEqual({
    os: ['ubuntu-latest', 'macos-latest', 'windows-latest'],
    node: [20, 22, 24],
  });
  const steps = [...ci.jobs.test.steps, ...release.jobs.release.steps];
  const uses = steps.flatMap((step: { uses?: string }) => step.uses ?? []);
  expect([...new Set(uses)].sort()).toEqual([
    'actions/checkout@v4',
    'actions/setup-node@v4',
    'changesets/action@v1',
  ]);
  expect(ci.jobs.test.steps.at(-1)).toEqual({ run: 'npm test' });
  expect(release.jobs.release).toMatchObject({
    needs: ['check', 'mutate'],
    permissions: { 'id-token': 'write' },
  });
  // Every script that a workflow calls is there.
  const { scripts } = readJson('package.json') as { scripts: Record<string, string> };
  const called = JSON.stringify(release).match(/(?<=npm run )[\w:-]+/g) ?? [];
  expect(called.length).toBeGreaterThan(0);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(called));
});

describe.each([...packages])('%s', (dir, manifest) => {
  const { name } = manifest;
  const paths = tarballOf(name).files.map(({ path }) => path);

  it('says where it comes from, and under which conditions', () => {
    const repository = 'https://github.com/keysweep/keysweep';
    expect(manifest).toMatchObject({
      license: 'MIT',
      homepage: `${repository}/tree/main/${dir}#readme`,
      bugs: `${repository}/issues`,
      repository: { type: 'git', url: `git+${repository}.git`, directory: dir },
      publishConfig: { access: 'public', provenance: true },
      engines: { node: '>=20' },
    });
    expect((manifest.keywords as string[]).length).toBeGreaterThan(2);
    expect(manifest.scripts).toHaveProperty('prepack');
    expect(readFileSync(join(ROOT, dir, 'LICENSE'), 'utf8')).toBe(
      readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
    );
    expect(readFileSync(join(ROOT, dir, 'README.md'), 'utf8')).toMatch(`# ${name}\n`);
  });

  it('depends on exactly this version of published packages of ours', () => {
    const ours = Object.entries(manifest.dependencies ?? {}).filter(([other]) =>
      /^@?keysweep/.test(other),
    );
    const expected = ours.map(([other]) => [
      names.includes(other) ? other : `a published ${other}`,
      manifest.version,
    ]);
    expect(ours).toEqual(expected);
  });

  it('packs the files that it names, and sources, but no tests', () => {
    const { main, types, browser, jsdelivr, unpkg } = manifest as Record<string, Json>;
    const { exports, imports, bin } = manifest as Record<string, Json>;
    const named = [main, types, browser, jsdelivr, unpkg, exports, imports, bin].flatMap(filesIn);
    expect(named.length).toBeGreaterThan(0);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', ...named]));
    const foreign = paths.filter((path) =>
      /(^|\/)(tests?|node_modules|\.\w+)\/|\.test\.|tsbuildinfo$/.test(path),
    );
    expect(foreign).toEqual([]);
  });

  it('packs the source that every map leads to', () => {
    const lost = paths
      .filter((path) => path.endsWith('.map'))
      .flatMap((path) => {
        const { sources } = readJson(join(dir, path)) as { sources: string[] };
        return sources.map((source) => posix.join(posix.dirname(path), source));
      })
      .filter((source) => !paths.includes(source));
    expect(lost).toEqual([]);
  });

  it('has nothing that publint warns of', async () => {
    const { messages } = await publint({ pack: { tarball: bytesOf(name).buffer }, strict: true });
    const codes = messages.map(({ code }) => code);
    // It would rather have conditions. `browser` is for tools that read none.
    expect(codes.filter((code) => code !== 'USE_EXPORTS_OR_IMPORTS_BROWSER')).toEqual([]);
  });

  // A command has nothing to import.
  if (manifest.exports === undefined) return;
  const entries = Object.entries(manifest.exports);

  it('can be required as well as imported, and found if `exports` are not read', () => {
    for (const [entry, conditions] of ESM_ONLY.includes(name) ? [] : entries) {
      if (FOR_PAGES.includes(entry)) continue;
      const found = entry === '.' ? manifest : readJson(join(dir, entry, 'package.json'));
      const within = (file: string) => `./${posix.join(entry, file)}`;
      const files = (conditions as { require?: Json }).require;
      expect({ types: within(found.types), default: within(found.main) }).toEqual(files);
      if (entry !== '.') expect(paths).toContain(posix.join(entry, 'package.json'));
    }
  });

  it('has types that are right everywhere', async ({ skip }) => {
    skip(!typesOf.includes(name), NOT_DRAWN);
    const result = await checkPackage(createPackageFromTarballData(bytesOf(name)));
    expect(result.types).not.toBe(false);
    const problems = 'problems' in result ? result.problems : [];
    const counted = problems.filter((problem) => {
      const how = 'resolutionKind' in problem ? problem.resolutionKind : '';
      const entry = 'entrypoint' in problem ? problem.entrypoint : '';
      const isEsmOnly = ESM_ONLY.includes(name) || FOR_PAGES.includes(entry);
      return !isEsmOnly || (how !== 'node16-cjs' && how !== 'node10');
    });
    expect(counted).toEqual([]);
  });
});
