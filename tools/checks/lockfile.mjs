/**
 * Completes package-lock.json with the optional packages of other platforms:
 *
 *   node tools/checks/lockfile.mjs [--check]
 *
 * A tool such as turbo has a package for each platform, as an optional dependency. npm writes one
 * into the lockfile only if the registry at hand has it, and a mirror may have only the packages of
 * its own platform. `npm ci` of npm 11 or newer refuses a lockfile that lacks one. So this writes
 * what the tool itself declares: the version, and the platform that the package's name says. There
 * is no hash: npm has never seen the file. `--check` writes nothing, and fails if an entry is
 * missing.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(new URL('../../package-lock.json', import.meta.url));

/** What names call systems, where it is not what npm does; musl and so on say the C library. */
const SYSTEMS = { windows: 'win32' };
const LIBRARIES = { gnu: 'glibc', musl: 'musl' };
const PROCESSORS = { 64: 'x64' };

/** System, processor, and C library or way of calling, at the end of a name. */
const SYSTEM = 'android|darwin|freebsd|linux|openbsd|openharmony|win32|windows';
const LIBRARY = 'gnu|musl|msvc|(?:gnu|musl)?eabi(?:hf)?';
const NAMED = new RegExp(`(${SYSTEM})-([a-z0-9]+?)(?:-(${LIBRARY}))?$`);

/** The platform in a name: `@swc/core-linux-arm64-musl` is for linux, arm64, musl. */
function platformOf(name) {
  const [, os, cpu, libc] = NAMED.exec(name) ?? [];
  if (os === undefined) throw new Error(`the name ${name} says no platform: complete it by hand`);
  return {
    cpu: [PROCESSORS[cpu] ?? cpu],
    os: [SYSTEMS[os] ?? os],
    ...(LIBRARIES[libc] === undefined ? {} : { libc: [LIBRARIES[libc]] }),
  };
}

/** Whether npm finds `name` from the package at `path`: in it, or in a folder around it. */
function isLocked(packages, path, name) {
  for (let at = path; ; at = at.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    if (packages[`${at === '' ? '' : `${at}/`}node_modules/${name}`] !== undefined) return true;
    if (!at.includes('node_modules/')) return packages[`node_modules/${name}`] !== undefined;
  }
}

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const missing = Object.entries(lock.packages).flatMap(
  ([path, { dev, optionalDependencies = {} }]) =>
    Object.entries(optionalDependencies)
      .filter(([name]) => !isLocked(lock.packages, path, name))
      .map(([name, version]) => ({ name, version, dev })),
);

if (process.argv.includes('--check')) {
  const list = missing.map(({ name }) => name).join(', ');
  if (list !== '')
    console.error(`package-lock.json lacks ${list}: run node tools/checks/lockfile.mjs`);
  process.exitCode = list === '' ? 0 : 1;
} else {
  for (const { name, version, dev } of missing) {
    const { cpu, os, libc } = platformOf(name);
    const entry = {
      version,
      cpu,
      dev,
      ...(libc === undefined ? {} : { libc }),
      optional: true,
      os,
    };
    lock.packages[`node_modules/${name}`] = entry;
  }
  const paths = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  lock.packages = Object.fromEntries(paths);
  writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
  console.log(`${missing.length} packages added`);
}
