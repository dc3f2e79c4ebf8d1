/**
 * `npm run build:references`, in the project's root: what keysweep is compared with, into
 * apps/bench/dist. The program `native` is compiled from native.cpp and, where there is a CUDA
 * compiler, `cub-files` from cub-files.cu. npm packages go to `peers`: some 190
 * MB that only this comparison needs.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const POLARS = '0.26.1';

/** The compiled part of polars for this machine: npm leaves it out where it misjudges the libc. */
const suffix = { linux: '-gnu', win32: '-msvc' }[process.platform] ?? '';
const compiledPolars = `nodejs-polars-${process.platform}-${process.arch}${suffix}`;

const PEERS = [
  'radixsort@1.0.1',
  'hpc-algorithms@1.1.0',
  'three@0.187.0',
  `nodejs-polars@${POLARS}`,
  `${compiledPolars}@${POLARS}`,
  '@duckdb/node-api@1.5.6-r.1',
];

/** Debian's packages, and the headers that are missing without them. */
const LIBRARIES = {
  'libhwy-dev': 'hwy/contrib/sort/vqsort.h',
  'libtbb-dev': 'tbb/parallel_sort.h',
};

const FLAGS = ['-O3', '-march=native'];

const sourceOf = (name) => fileURLToPath(new URL(name, import.meta.url));
const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Runs a command with its output on the terminal. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${error?.message ?? `ended with ${status}`}`);
}

/** Whether a command succeeds; its output is dropped. */
const succeeds = (command, args, input = '') =>
  spawnSync(command, args, { input, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0;

function missingPackages() {
  const libraries = Object.keys(LIBRARIES);
  if (!succeeds('g++', ['--version'])) return ['g++', ...libraries];
  return libraries.filter(
    (name) => !succeeds('g++', ['-E', '-x', 'c++', '-'], `#include <${LIBRARIES[name]}>\n`),
  );
}

function installPackages(names) {
  if (process.getuid?.() !== 0 || !succeeds('apt-get', ['--version'])) {
    throw new Error(`missing, to be installed by root: apt-get install ${names.join(' ')}`);
  }
  run('apt-get', ['update', '-qq']);
  run('apt-get', ['install', '-qq', '--no-install-recommends', ...names]);
}

function buildNative() {
  const missing = missingPackages();
  if (missing.length > 0) installPackages(missing);
  const { stdout } = spawnSync('g++', ['-dumpfullversion'], { encoding: 'utf8' });
  const compiler = `g++ ${stdout.trim()} ${FLAGS.join(' ')}`;
  const libraries = ['-lhwy_contrib', '-lhwy', '-ltbb', '-pthread'];
  const macros = [`-DCOMPILER="${compiler}"`];
  const output = ['-o', `${dist}native`];
  run('g++', [
    '-std=c++20',
    '-Wall',
    '-Wextra',
    ...FLAGS,
    ...macros,
    sourceOf('native.cpp'),
    ...output,
    ...libraries,
  ]);
}

function buildCub() {
  if (!succeeds('nvcc', ['--version'])) throw new Error('no nvcc, so no comparison with CUB');
  const files = [sourceOf('cub-files.cu'), '-o', `${dist}cub-files`];
  run('nvcc', ['-O3', '-std=c++17', '-arch=native', ...files]);
}

function installPeers() {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  run('npm', [
    'install',
    '--prefix',
    `${dist}peers`,
    '--no-save',
    '--ignore-scripts',
    ...quiet,
    ...PEERS,
  ]);
}

mkdirSync(`${dist}peers`, { recursive: true });
const parts = { native: buildNative, peers: installPeers, 'cub-files': buildCub };
for (const [name, make] of Object.entries(parts)) {
  try {
    make();
    console.log(`${name}: ${dist}${name}`);
  } catch (error) {
    console.error(`${name}: ${error.message}`);
    // Few machines have a CUDA compiler.
    if (name !== 'cub-files') process.exitCode = 1;
  }
}
