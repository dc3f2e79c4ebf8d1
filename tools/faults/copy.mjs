/**
 * A copy of the built checkout in a folder of its own, in which a file is changed and the packages
 * that hold it are built again. The checkout itself is only read.
 */

import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folders of workspaces, the only ones with built files. */
const WORKSPACE = /^(?:kernels|(?:packages|apps)\/[^/]+)(?=\/)/;

/** What a workspace's build writes. */
const OUTPUTS = ['dist', 'generated'];

/** Whose code the workers of packages/cpu hold, as text. */
const IN_WORKERS = ['packages/core', 'kernels'];

const workspaceOf = (file) => WORKSPACE.exec(file)?.[0];

const lines = (text) => text.split('\0').filter((line) => line !== '');

/** Copies a tree with its times: a compiler builds files again that are newer than its output. */
const copyTree = (from, to) => cp(from, to, { recursive: true, preserveTimestamps: true });

/** Copies the checkout at `root` as it is now, committed or not, with what was built. */
export async function copyCheckout(root, to) {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const files = lines(execFileSync('git', listed, { cwd: root, encoding: 'utf8' }));
  const workspaces = new Set(files.map(workspaceOf).filter((folder) => folder !== undefined));
  const built = [...workspaces].flatMap((folder) => OUTPUTS.map((name) => `${folder}/${name}`));
  for (const path of [...files, ...built]) {
    if (!existsSync(join(root, path))) continue;
    await mkdir(dirname(join(to, path)), { recursive: true });
    await copyTree(join(root, path), join(to, path));
  }
  await linkModules(join(root, 'node_modules'), join(to, 'node_modules'));
}

/** Links installed packages to the checkout's, and the workspaces to the copy's. */
async function linkModules(from, to) {
  await mkdir(to);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) await symlink(await readlink(source), target);
    else if (entry.name === '@keysweep') await linkModules(source, target);
    else if (!/^\.(?:vite|cache)/.test(entry.name)) await symlink(source, target);
  }
}

/**
 * Runs a command in `folder` and resolves to its exit code and its output. After `limit`
 * milliseconds it is ended with all that it has started, and the code is undefined.
 */
export function run(folder, [program, ...args], { env = {}, limit = 600_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const printed = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (b) => printed.push(b));
    let isOver = false;
    const timer = setTimeout(() => {
      isOver = true;
      process.kill(-child.pid, 'SIGKILL');
    }, limit);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code: isOver ? undefined : code, output: Buffer.concat(printed).toString() });
    });
  });
}

/** One tree in which faults are planted, one at a time. */
export class Copy {
  #pristine;
  #folder;

  constructor(pristine, folder) {
    this.#pristine = pristine;
    this.#folder = folder;
  }

  get folder() {
    return this.#folder;
  }

  static async of(pristine, folder) {
    await cp(pristine, folder, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
    });
    return new Copy(pristine, folder);
  }

  /** Writes `text` to `file` and builds what holds it. Returns what a failed build printed. */
  async change(file, text) {
    await writeFile(join(this.#folder, file), text);
    for (const [folder, command] of this.#buildsOf(file)) {
      const { code, output } = await run(join(this.#folder, folder), command);
      if (code !== 0) return output;
    }
    return undefined;
  }

  #buildsOf(file) {
    const folder = workspaceOf(file);
    if (folder === undefined) return [];
    const build = ['npm', 'run', '--silent', 'build'];
    const builds = [[folder, build]];
    if (IN_WORKERS.includes(folder)) builds.push(['packages/cpu', ['node', 'build.mjs']]);
    return builds;
  }

  /** Undoes `change`. */
  async restore(file) {
    await copyTree(join(this.#pristine, file), join(this.#folder, file));
    for (const [folder] of this.#buildsOf(file)) {
      for (const name of OUTPUTS) {
        const output = join(this.#folder, folder, name);
        if (!existsSync(output)) continue;
        await rm(output, { recursive: true });
        await copyTree(join(this.#pristine, folder, name), output);
      }
    }
  }

  read(file) {
    return readFile(join(this.#folder, file), 'utf8');
  }
}
