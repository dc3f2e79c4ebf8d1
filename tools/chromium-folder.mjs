/** The Chromium of the npm package @sparticuz/chromium, unpacked. */

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

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const VERSION = MANIFEST.devDependencies['@sparticuz/chromium'];

/** See chromium-folder.d.mts. */
export const FONTS = 'fonts-here.conf';

/** See chromium-folder.d.mts. */
export function chromiumFolder() {
  const folder = join(ROOT, 'node_modules', '.cache', 'keysweep', `chromium-${VERSION}`);
  if (!existsSync(folder)) unpackInto(folder);
  const fonts = join(folder, FONTS);
  if (!existsSync(fonts)) writeFileSync(fonts, fontsIn(folder));
  return folder;
}

/**
 * A configuration that says where the package's fonts are: its own is for Lambda. Chromium
 * ends with the first form control that it finds no font for.
 */
const fontsIn = (folder) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
</fontconfig>
`;

/** Unpacks beside `folder` and renames, so that a run that is stopped leaves no half a browser. */
function unpackInto(folder) {
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
