/** Firefox without a window, with a profile of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Firefox {
  readonly pid: number;
  /** Ends it with all its processes, and removes the profile. */
  readonly close: () => Promise<void>;
}

/** No first steps, no updates, no reports. */
const PREFERENCES = {
  'app.normandy.enabled': false,
  'app.update.enabled': false,
  'browser.aboutwelcome.enabled': false,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'network.captive-portal-service.enabled': false,
  'network.connectivity-service.enabled': false,
  'toolkit.telemetry.enabled': false,
};

/** Debian's name for it comes first. */
const PROGRAMS = ['firefox-esr', 'firefox'] as const;

/** Opens `url`. @throws Error if there is no Firefox. */
export async function startFirefox(url: string): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'keysweep-firefox-'));
  const lines = Object.entries(PREFERENCES).map(
    ([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});\n`,
  );
  await writeFile(join(profile, 'user.js'), lines.join(''));
  const removeProfile = (): Promise<void> =>
    rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  for (const program of PROGRAMS) {
    const child = await started(program, ['--headless', '--no-remote', '--profile', profile, url]);
    if (child === undefined) continue;
    const { pid } = child;
    return {
      pid,
      async close() {
        const isGone = child.exitCode !== null || child.signalCode !== null;
        const ended = isGone || new Promise((resolve) => child.once('exit', resolve));
        if (!isGone) process.kill(-pid, 'SIGKILL');
        await ended;
        await removeProfile();
      },
    };
  }
  await removeProfile();
  throw new Error(`there is no ${PROGRAMS.join(' or ')} on this machine`);
}

/** A program in a group of its own; undefined if there is none of this name. */
function started(
  program: string,
  args: readonly string[],
): Promise<(ChildProcess & { readonly pid: number }) | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(undefined));
    child.once('spawn', () => resolve(child as ChildProcess & { readonly pid: number }));
  });
}
