/**
 * The headless Chromium of the browser tests: unpacked from the npm package @sparticuz/chromium,
 * together with the shared libraries it needs, so that a machine without a browser can run them.
 */

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HAS_CHROMIUM_PACKAGE } from './platform.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const VERSION = MANIFEST.devDependencies['@sparticuz/chromium'];

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

const FONTS = 'fonts-here.conf';

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

/**
 * The folder of the npm package's Chromium, and of its software GPU. The first call unpacks 200 MB
 * and takes a few seconds.
 *
 * The package unpacks into the temporary folder of the process, and NSS and Expat, which Chromium
 * links to, only where it finds itself on AWS Lambda. So a process of its own is told both.
 */
export function chromiumFolder(): string {
  const folder = join(ROOT, 'node_modules', '.cache', 'keysweep', `chromium-${VERSION}`);
  if (!existsSync(folder)) unpackInto(folder);
  const fonts = join(folder, FONTS);
  if (!existsSync(fonts)) writeFileSync(fonts, fontsIn(folder));
  return folder;
}

/**
 * Where the package's fonts are: its own configuration says where they would be on Lambda. Chromium
 * ends with the first form control that it finds no font for.
 */
const fontsIn = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

/** Unpacks beside `folder` and renames, so that a run that is stopped leaves no half a browser. */
function unpackInto(folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  const script = 'import("@sparticuz/chromium").then((m) => m.default.executablePath())';
  execFileSync(process.execPath, ['--eval', script], {
    cwd: ROOT,
    env: { ...process.env, TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    stdio: 'inherit',
  });
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true });
    // Another run was faster; its browser is as good.
    if (!existsSync(folder)) throw error;
  }
}
