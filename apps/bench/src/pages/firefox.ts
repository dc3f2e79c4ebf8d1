/** Firefox, which opens one page and is ended when that has sent its result. */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** No first steps, no updates, no reports; and a clock that is not made coarse. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'browser.startup.homepage_override.mstone': 'ignore',
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'privacy.reduceTimerPrecision': false,
  'services.settings.server': 'data:,',
  'toolkit.telemetry.enabled': false,
};

/** Opens `url` in a new Firefox with a new profile, and ends it once `work` is done. */
export async function visitByFirefox<Result>(
  executable: string,
  url: string,
  work: Promise<Result>,
): Promise<Result> {
  const profile = await mkdtemp(join(tmpdir(), 'keysweep-firefox-'));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
  );
  await writeFile(join(profile, 'user.js'), lines.join(''));
  const args = ['--headless', '--no-remote', '--profile', profile, url];
  const env = { ...process.env, HOME: profile };
  // With all that it starts, so that these can be ended together.
  const firefox = spawn(executable, args, { env, detached: true, stdio: 'ignore' });
  const ended = new Promise<never>((_, reject) => {
    firefox.on('error', reject);
    firefox.on('exit', (code) => reject(new Error(`${executable} ended with code ${code}`)));
  });
  ended.catch(() => {});
  try {
    return await Promise.race([work, ended]);
  } finally {
    if (firefox.pid !== undefined && firefox.exitCode === null) {
      process.kill(-firefox.pid, 'SIGKILL');
      await ended.catch(() => {});
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}
