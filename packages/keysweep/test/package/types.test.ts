/**
 * What a consumer's TypeScript says of the published declarations: nothing, in old versions and in
 * new ones. What is published of the packages is copied to a folder outside the workspace, and old
 * compilers are installed beside it.
 */

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { isThorough, sample } from '@keysweep/conformance/data';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const PROGRAMS = fileURLToPath(new URL('./types', import.meta.url));
const PACKAGES = ['keysweep', ...['core', 'kernels', 'cpu', 'webgpu', 'webgl2'].map(inScope)];

function inScope(name: string): string {
  return `@keysweep/${name}`;
}

interface Compiler {
  readonly version: string;
  /** Whether arrays have type arguments: from 5.7 on. */
  readonly hasBuffers: boolean;
  /** Whether the DOM library has WebGPU: from 6.0 on. */
  readonly hasGpu: boolean;
}

const OLDEST: Compiler = { version: '5.5.4', hasBuffers: false, hasGpu: false };
const NEWEST: Compiler = { version: '7.0.2', hasBuffers: true, hasGpu: true };
const BETWEEN: readonly Compiler[] = [
  { version: '5.7.3', hasBuffers: true, hasGpu: false },
  { version: '5.9.3', hasBuffers: true, hasGpu: false },
  { version: '6.0.3', hasBuffers: true, hasGpu: true },
];
/** Old ones take seconds a project: a quick run draws one of them. */
const COMPILERS = [...sample([OLDEST, ...BETWEEN], 1), NEWEST];

/** Kinds of projects. */
interface Project {
  readonly name: string;
  readonly module: readonly string[];
  readonly lib: readonly string[];
  readonly types: readonly string[];
  readonly programs: (compiler: Compiler) => readonly string[];
}

const NODE: Omit<Project, 'name' | 'programs'> = {
  module: ['NodeNext', 'NodeNext'],
  lib: ['ES2022'],
  types: ['node'],
};
const PAGE: Omit<Project, 'name' | 'programs'> = {
  module: ['ESNext', 'Bundler'],
  lib: ['ES2022', 'DOM'],
  types: [],
};
const WEBGPU_TYPES = '@webgpu/types';
const inNode = ({ hasBuffers }: Compiler): readonly string[] => [
  'everywhere',
  ...(hasBuffers ? ['buffers'] : []),
];
const inPage = (compiler: Compiler): readonly string[] => [
  ...inNode(compiler),
  'page',
  ...(compiler.hasGpu ? ['gpu-page'] : []),
];

const PROJECTS: readonly Project[] = [
  { ...NODE, name: 'of Node, without a DOM', programs: inNode },
  {
    ...PAGE,
    name: 'of a page, with @webgpu/types',
    types: [WEBGPU_TYPES],
    programs: (compiler) => [...inPage(compiler), 'gpu-page'],
  },
  { ...PAGE, name: 'of a page, with a bundler', programs: inPage },
  { ...PAGE, name: 'of a page, as Node modules', module: NODE.module, programs: inPage },
  { ...NODE, name: 'of Node, with a bundler', module: PAGE.module, programs: inNode },
];

/** Without `npm run test:thorough`: one of each module resolution, with a DOM or without. */
const projects = isThorough ? PROJECTS : PROJECTS.slice(0, 2);

const folderOf = ({ version }: Compiler): string => `typescript-${version}`;

const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keysweep-types-'));
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const others = COMPILERS.filter((compiler) => compiler !== NEWEST);
  const wanted = others.map((one) => `${folderOf(one)}@npm:typescript@${one.version}`);
  const options = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'];
  await run('npm', ['install', ...options, ...wanted], { cwd: folder });
  const modules = join(folder, 'node_modules');
  // The compiler of this repository, and what it installs for itself.
  const linked = {
    typescript: folderOf(NEWEST),
    '@types/node': '@types/node',
    [WEBGPU_TYPES]: WEBGPU_TYPES,
  };
  for (const [name, as] of Object.entries(linked)) {
    await mkdir(dirname(join(modules, as)), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), join(modules, as), 'dir');
  }
  for (const name of PACKAGES) await publish(name, join(modules, name));
  await cp(PROGRAMS, folder, { recursive: true });
});

/** Copies what npm would publish of a package, as it is built. */
async function publish(name: string, to: string): Promise<void> {
  const from = await realpath(join(ROOT, 'node_modules', name));
  const { files } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'));
  const named = (files as string[]).filter((file) => !file.startsWith('!'));
  for (const file of ['package.json', ...named]) {
    await cp(join(from, file), join(to, file), { recursive: true });
  }
}

afterAll(async () => {
  await rm(folder, { recursive: true });
});

/** What the compiler says of a project. */
async function compile(compiler: Compiler, project: Project): Promise<string> {
  const { lib, types, module, programs } = project;
  const [kind, resolution] = module;
  // The two clash with each other, whatever else a program uses.
  const hasBoth = compiler.hasGpu && types.includes(WEBGPU_TYPES);
  const config = join(folder, `${compiler.version}-${PROJECTS.indexOf(project)}.json`);
  const compilerOptions = {
    target: 'ES2022',
    module: kind,
    moduleResolution: resolution,
    lib,
    types,
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: hasBoth,
    noEmit: true,
  };
  const files = [...new Set(programs(compiler))].map((program) => `${program}.ts`);
  await writeFile(config, JSON.stringify({ compilerOptions, files }));
  const tsc = join(folder, 'node_modules', folderOf(compiler), 'bin', 'tsc');
  return run(process.execPath, [tsc, '-p', config, '--pretty', 'false'], { cwd: folder }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => `${stdout}${stderr}`,
  );
}

describe.each(COMPILERS)('TypeScript $version', (compiler) => {
  // A page's programs are those of Node and more.
  const some = isThorough || compiler === NEWEST ? projects : projects.slice(1);
  it.each(some)('has nothing against a project $name', async (project) => {
    expect(await compile(compiler, project)).toBe('');
  });
});
