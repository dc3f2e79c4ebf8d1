/**
 * `npm run build:references`, in the project's root: what keysweep is compared with, into
 * apps/bench/dist. The program `native` is compiled of native.cpp; npm packages go to `peers`, because
 * nobody but this comparison wants their 120 MB.
 */

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** polars: the newest whose compiled part is for Node 20. */
const PEERS = ['radixsort@1.0.1', 'hpc-algorithms@1.1.0', 'three@0.187.0', 'nodejs-polars@0.24.1'];

/** Debian's packages, and the headers that are missing without them. */
const LIBRARIES = {
  'libhwy-dev': 'hwy/contrib/sort/vqsort.h',
  'libtbb-dev': 'tbb/parallel_sort.h',
};

const FLAGS = ['-O3', '-march=native'];

const source = fileURLToPath(new URL('native.cpp', import.meta.url));
const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Runs a command whose output the person sees. */
function run(command, args) {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${command} ${error?.message ?? `ended with ${status}`}`);
}

/** Whether a command does well, quietly. */
const does = (command, args, input = '') =>
  spawnSync(command, args, { input, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0;

function missingPackages() {
  const libraries = Object.keys(LIBRARIES);
  if (!does('g++', ['--version'])) return ['g++', ...libraries];
  return libraries.filter(
    (name) => !does('g++', ['-E', '-x', 'c++', '-'], `#include <${LIBRARIES[name]}>\n`),
  );
}

function installPackages(names) {
  if (process.getuid?.() !== 0 || !does('apt-get', ['--version'])) {
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
    source,
    ...output,
    ...libraries,
  ]);
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
for (const [what, make] of Object.entries({ native: buildNative, peers: installPeers })) {
  try {
    make();
    console.log(`${what}: ${dist}${what}`);
  } catch (error) {
    console.error(`${what}: ${error.message}`);
    process.exitCode = 1;
  }
}
