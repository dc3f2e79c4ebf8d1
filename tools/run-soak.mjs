/**
 * Calls keysweep at random for as long as one likes, and checks all of it: see `npm run test:soak
 * -- --help`. The GPU is the one of this machine where the environment names Vulkan's drivers, as
 * VK_DRIVER_FILES; else SwiftShader, of the browser tests' Chromium.
 */

import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { chromiumFolder } from './chromium-folder.mjs';
import { HAS_CHROMIUM_PACKAGE } from './platform.mjs';

const MAIN = fileURLToPath(new URL('../apps/bench/dist/main.js', import.meta.url));
const { VK_DRIVER_FILES, VK_ICD_FILENAMES } = process.env;

const isSoftware = (VK_DRIVER_FILES ?? VK_ICD_FILENAMES) === undefined && HAS_CHROMIUM_PACKAGE;
const software = isSoftware ? ['--software', chromiumFolder()] : [];
const args = [MAIN, 'soak', ...software, ...process.argv.slice(2)];
const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit' });
if (signal !== null) console.error(`the process was ended by ${signal}`);
process.exitCode = status ?? 1;
