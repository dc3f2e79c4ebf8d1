/** Firefox without a window, with a profile of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Firefox {
  readonly pid: number;
  /** Rejects when it ends by itself. */
  readonly ended: Promise<never>;
  /** Ends it with all its processes, and removes the profile. */
  readonly close: () => Promise<void>;
}

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
const FOR_BENCHMARKS = { ...QUIET, 'privacy.reduceTimerPrecision': false };

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
): Promise<Firefox> {
  const profile = await mkdtemp(join(tmpdir(), 'keysweep-firefox-'));
  await writeFile(join(profile, 'user.js'), userJs(FOR_BENCHMARKS));
  const removeProfile = (): Promise<void> =>
    rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  for (const program of programs) {
    const args = ['--headless', '--no-remote', '--profile', profile, url];
    const child = await started(program, args, { ...process.env, HOME: profile });
    if (child === undefined) continue;
    const { pid } = child;
    const exit = once(child, 'exit');
    const ended = exit.then(([code]) => {
      throw new Error(`${program} ended with code ${code}`);
    });
    ended.catch(() => {});
    return {
      pid,
      ended,
      async close() {
        if (child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGKILL');
        await exit;
        await removeProfile();
      },
    };
  }
  await removeProfile();
  throw new Error(`there is no ${programs.join(' or ')} on this machine`);
}

/** Opens `url` in a new Firefox, and ends it once `work` is done. */
export async function visitByFirefox<Result>(
  program: string,
  url: string,
  work: Promise<Result>,
): Promise<Result> {
  const firefox = await startFirefox(url, [program]);
  try {
    return await Promise.race([work, firefox.ended]);
  } finally {
    await firefox.close();
  }
}

/** A program in a group of its own; undefined if there is none of this name. */
function started(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<(ChildProcess & { readonly pid: number }) | undefined> {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(undefined));
    child.once('spawn', () => resolve(child as ChildProcess & { readonly pid: number }));
  });
}
