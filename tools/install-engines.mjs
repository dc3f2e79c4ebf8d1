/**
 * Brings the engines that `npm run test:everywhere` tries beside Node.js and Chromium:
 *
 *   node tools/install-engines.mjs
 *
 * Firefox, WebKitGTK's browser and a virtual display are installed as packages of Debian 12, by
 * root. The software GPU of Debian's backports, which is new enough for Dawn, is only unpacked,
 * into node_modules/.cache/keysweep/engines. The engines from npm go there as well.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** See install-engines.d.mts. */
export const ENGINES = fileURLToPath(
  new URL('../node_modules/.cache/keysweep/engines/', import.meta.url),
);

/** See install-engines.d.mts. */
export const LAVAPIPE = join(ENGINES, 'lavapipe', 'icd.json');

const PACKAGES = ['firefox-esr', 'libwebkit2gtk-4.1-0', 'xvfb', 'mesa-vulkan-drivers'];
const NPM = ['deno@2.9.6', 'workerd@1.20261117.1'];
const BACKPORTS =
  'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ' +
  'http://deb.debian.org/debian bookworm-backports main\n';

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' });

/** Unpacks Mesa's drivers of the backports, whose list the system's own lists do not see. */
function unpackLavapipe() {
  const folder = join(ENGINES, 'lavapipe');
  const apt = join(folder, 'apt');
  for (const part of ['lists/partial', 'archives/partial']) {
    mkdirSync(join(apt, part), { recursive: true });
  }
  writeFileSync(join(apt, 'sources.list'), BACKPORTS);
  const options = [
    `Dir::Etc::sourcelist=${apt}/sources.list`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${apt}/lists`,
    `Dir::Cache=${apt}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  run('apt-get', [...options, '-q', 'update']);
  run('apt-get', [...options, '-q', 'download', 'mesa-vulkan-drivers'], folder);
  const file = readdirSync(folder).find((name) => name.endsWith('.deb'));
  run('dpkg-deb', ['-x', file, '.'], folder);
  rmSync(apt, { recursive: true });
  // The manifest names the driver as the loader would find it once it is installed.
  const manifest = readFileSync(join(folder, 'usr/share/vulkan/icd.d/lvp_icd.json'), 'utf8');
  const { ICD, ...rest } = JSON.parse(manifest);
  const driver = join(folder, 'usr/lib/x86_64-linux-gnu/libvulkan_lvp.so');
  writeFileSync(LAVAPIPE, JSON.stringify({ ...rest, ICD: { ...ICD, library_path: driver } }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  run('apt-get', ['install', '--yes', '--no-install-recommends', ...PACKAGES]);
  rmSync(ENGINES, { recursive: true, force: true });
  mkdirSync(ENGINES, { recursive: true });
  unpackLavapipe();
  writeFileSync(join(ENGINES, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--no-audit', '--no-fund', ...NPM], ENGINES);
}
