/**
 * Calls keysweep at random for as long as one likes, and checks all of it: see `npm run test:soak
 * -- --help`. The GPU is the one of this machine where the environment names Vulkan's drivers, as
 * VK_DRIVER_FILES; else SwiftShader, of the browser tests' Chromium. With `--page` the page is
 * built first.
 */

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage } from '../../apps/bench/bundle.mjs';
import { chromiumFolder, FONTS } from '../chromium-folder.mjs';
import { HAS_CHROMIUM_PACKAGE } from '../platform.mjs';

const DIST = fileURLToPath(new URL('../../apps/bench/dist/', import.meta.url));
const { VK_DRIVER_FILES, VK_ICD_FILENAMES } = process.env;

const isSoftware = (VK_DRIVER_FILES ?? VK_ICD_FILENAMES) === undefined && HAS_CHROMIUM_PACKAGE;
const isInPage = process.argv.some((arg) => /^--page(?:=|$)/.test(arg));

/** How a page's Chromium is started on the software GPU: its program, flags and libraries. */
function softwareChromium() {
  const folder = chromiumFolder();
  const flags =
    '--headless=new --no-sandbox --enable-unsafe-webgpu --enable-unsafe-swiftshader ' +
    '--disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension';
  const env = {
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(folder, FONTS),
  };
  return { args: ['--chromium', join(folder, 'chromium'), `--flags=${flags}`], env };
}

if (isInPage) await buildPage(join(DIST, 'keysweep-bench'));
const { args, env } = !isSoftware
  ? { args: [], env: {} }
  : isInPage
    ? softwareChromium()
    : { args: ['--software', chromiumFolder()], env: {} };
const { status, signal } = spawnSync(
  process.execPath,
  [join(DIST, 'main.js'), 'soak', ...args, ...process.argv.slice(2)],
  { stdio: 'inherit', env: { ...process.env, ...env } },
);
if (signal !== null) console.error(`the process was ended by ${signal}`);
process.exitCode = status ?? 1;
