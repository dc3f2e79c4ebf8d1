/** Firefox without a window, with a profile of its own. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from './program.js';

/** Nothing that nobody asked for: no first steps, no updates, no reports. */
export const QUIET: Readonly<Record<string, string | boolean>> = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'extensions.update.enabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
};

/** Also with a clock that is not made coarse. */
const FOR_BENCHMARKS = {
  ...QUIET,
  'privacy.reduceTimerPrecision': false,
  'privacy.reduceTimerPrecision.unconditional': false,
};

/** The text of a profile's `user.js`. */
export const userJs = (preferences: typeof QUIET): string =>
  Object.entries(preferences)
    .map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`)
    .join('');

/** Debian's name for it comes first. */
const PROGRAMS: readonly string[] = ['firefox-esr', 'firefox'];

/** Opens `url` in the first of `programs` that there is. @throws Error if there is none. */
export async function startFirefox(
  url: string,
  programs: readonly string[] = PROGRAMS,
): Promise<Program> {
  const profile = await mkdtemp(join(tmpdir(), 'keysweep-firefox-'));
  await writeFile(join(profile, 'user.js'), userJs(FOR_BENCHMARKS));
  const removeProfile = (): Promise<void> =>
    rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  for (const program of programs) {
    const args = ['--headless', '--no-remote', '--profile', profile, url];
    const firefox = await startProgram(program, args, { ...process.env, HOME: profile });
    if (firefox === undefined) continue;
    return {
      ...firefox,
      async close() {
        await firefox.close();
        await removeProfile();
      },
    };
  }
  await removeProfile();
  throw new Error(`there is no ${programs.join(' or ')} on this machine`);
}
