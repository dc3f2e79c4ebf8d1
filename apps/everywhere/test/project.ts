/** A project of a user of keysweep: packages from tarballs, in a folder outside the workspace. */

import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runSeed } from '@keysweep/conformance/data';
import { type Ended, run } from './process.js';
import { checked, linesOf } from './trial.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CONSUMERS = fileURLToPath(new URL('../consumers/', import.meta.url));

/** What a user installs, with what it depends on. */
export const PACKAGES = [
  'keysweep',
  '@keysweep/core',
  '@keysweep/kernels',
  '@keysweep/cpu',
  '@keysweep/webgpu',
  '@keysweep/webgl2',
];

export interface Project {
  /** Where the sources of `consumers` are, and `node_modules`. */
  readonly folder: string;
  /** Where bundles go: from here no `node_modules` is found. */
  readonly out: string;
  /** The seed of the keys. */
  readonly seed: number;
  remove(): Promise<void>;
}

/**
 * Packs the packages as they are built, and installs them.
 *
 * @param tools 'all': those that consumers/package.json pins come from npm. A list: these are the
 *   workspace's own.
 */
export async function installProject(tools: 'all' | readonly string[]): Promise<Project> {
  const base = await mkdtemp(join(tmpdir(), 'keysweep-everywhere-'));
  const tarballs = join(base, 'tarballs');
  const folder = join(base, 'project');
  const out = join(base, 'out');
  await mkdir(out);
  await cp(CONSUMERS, folder, { recursive: true });

  const dependencies = await pack(PACKAGES, tarballs);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const devDependencies = tools === 'all' ? manifest.devDependencies : {};
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ ...manifest, dependencies, devDependencies }),
  );
  await npm(folder, 'install', '--prefer-offline');
  for (const tool of tools === 'all' ? [] : tools) {
    await symlink(folderOf(tool), join(folder, 'node_modules', tool), 'dir');
  }

  const seed = runSeed();
  const text = await readFile(join(folder, 'program.js'), 'utf8');
  const module = `const SEED = ${seed};\n${text}`;
  const common = `${module.replace('export async', 'async')}\nmodule.exports = { sortThrice };\n`;
  for (const part of ['.', 'page', 'next', 'jest', 'vitest']) {
    await writeFile(join(folder, part, 'program.mjs'), module);
    await writeFile(join(folder, part, 'program.cjs'), common);
  }
  return { folder, out, seed, remove: () => rm(base, { recursive: true }) };
}

/** Packs packages as they are built, into `folder`: the dependencies of a project of theirs. */
export async function pack(
  names: readonly string[],
  folder: string,
): Promise<Record<string, string>> {
  await mkdir(folder);
  const chosen = names.flatMap((name) => ['--workspace', name]);
  const packed = await npm(ROOT, 'pack', ...chosen, '--json', '--pack-destination', folder);
  const files = Object.values(JSON.parse(packed)) as { name: string; filename: string }[];
  return Object.fromEntries(
    files.map(({ name, filename }) => [name, `file:${join(folder, filename)}`]),
  );
}

/** The Node that runs the tests. */
export const NODE = process.execPath;

/** The path of a command that a tool of the project brings. */
export const commandOf = ({ folder }: Project, name: string): string =>
  join(folder, 'node_modules', '.bin', name);

/**
 * What a command-line tool warns of because of keysweep. It works on `part` of the project, and,
 * where it prints anything that may be a warning, on a copy of it that has another package in
 * keysweep's place: what it prints there, too, is its own.
 *
 * @param work runs the tool in a folder that has `part` in it.
 */
export async function warningsOf(
  { folder }: Project,
  part: string,
  work: (cwd: string, control: boolean) => Promise<Ended>,
): Promise<string[]> {
  const warnings = suspicious(checked(await work(folder, false)));
  if (warnings.length === 0) return [];
  const control = join(folder, 'control');
  await cp(join(folder, part), join(control, part), { recursive: true });
  const stub = join(control, 'node_modules', 'keysweep');
  await cp(join(control, 'keysweep'), stub, { recursive: true });
  const own = new Set(suspicious(checked(await work(control, true))).map(withoutNumbers));
  return warnings.filter((line) => !own.has(withoutNumbers(line)));
}

/** All lines of standard error, and those of standard output that look like warnings. */
const suspicious = ({ stdout, stderr }: Ended): string[] => [
  ...linesOf(stderr),
  ...linesOf(stdout).filter((line) => /warn|error|⚠|⨯/i.test(line)),
];

/** Numbers differ from run to run, and so do the folders; some times are left out where short. */
const withoutNumbers = (line: string): string =>
  line.replace(/ *\([\d.]+ ?m?s\)|\d+(\.\d+)?|control\//g, '');

/** Where the workspace has an npm package. */
const folderOf = (name: string): string =>
  dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));

/** Runs npm, and resolves to what it prints. */
export async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  // Packages are built already: what they do before they are packed would build them again.
  const quiet = args[0] === 'pack' ? ['--ignore-scripts'] : ['--no-audit', '--no-fund'];
  const { code, stdout, stderr } = await run('npm', [...args, ...quiet], { cwd });
  if (code !== 0) throw new Error(`npm ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
