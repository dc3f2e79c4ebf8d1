/**
 * The headless Chromium of the browser tests: unpacked from the npm package @sparticuz/chromium,
 * together with the shared libraries it needs, so that a machine without a browser can run them.
 */

import { join } from 'node:path';
import { chromiumFolder, FONTS } from './chromium-folder.mjs';
import { HAS_CHROMIUM_PACKAGE } from './platform.mjs';

export { chromiumFolder } from './chromium-folder.mjs';

/**
 * Has Dawn clear workgroup memory by a loop. By default it leaves that to the driver, and
 * SwiftShader compiles a store for every word, which takes several times as long. A thorough run
 * uses the default, as users do.
 */
const { KEYSWEEP_THOROUGH: thorough } = process.env;
const QUICKLY_COMPILED =
  thorough === '1'
    ? []
    : ['disable-dawn-features=use_vulkan_zero_initialize_workgroup_memory_extension'];

/** Options of `create` of the npm package webgpu, for SwiftShader. */
export const DAWN_OPTIONS: readonly string[] = QUICKLY_COMPILED;

/** Arguments with which Chromium has WebGPU on SwiftShader. */
export const WEBGPU_ARGS: readonly string[] = [
  '--enable-unsafe-webgpu',
  '--enable-unsafe-swiftshader',
  ...QUICKLY_COMPILED.map((option) => `--${option}`),
];

/** What Playwright needs to start the browser. */
export interface Chromium {
  readonly executablePath?: string;
  readonly env: Record<string, string>;
}

const environment = process.env as Record<string, string>;

/** Chromium, ready to start: where the npm package does not run, the one that Playwright has. */
export function chromium(): Chromium {
  if (!HAS_CHROMIUM_PACKAGE) return { env: environment };
  const folder = chromiumFolder();
  return {
    executablePath: join(folder, 'chromium'),
    env: {
      ...environment,
      LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
      FONTCONFIG_FILE: join(folder, FONTS),
    },
  };
}
