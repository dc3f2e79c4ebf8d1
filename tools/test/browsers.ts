/** Browsers that visit a page: the Chromium of the tests, and others of Debian's packages. */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium as playwright } from 'playwright';
import { QUIET, userJs } from '../../apps/bench/src/pages/firefox.js';
import { chromium, WEBGPU_ARGS } from '../chromium.js';
import { ON_LAVAPIPE } from '../install/engines.mjs';

/** A browser that can be started. */
export interface Browser {
  /** "Firefox 153.7.0esr" */
  readonly name: string;
  /** Opens a page, waits for `work` and ends the browser. */
  visit<Result>(url: string, work: Promise<Result>): Promise<Result>;
}

/** Why a browser cannot be tried. */
export const NO_DISPLAY = 'Xvfb is not installed: node tools/install/engines.mjs installs it';
export const NOT_INSTALLED = 'it is not installed: node tools/install/engines.mjs installs it';

/** The Chromium of the tests. */
export const CHROMIUM: Browser = {
  get name() {
    const { executablePath = 'chromium', env } = chromium();
    return versionOf([executablePath], env) ?? 'Chromium';
  },
  async visit(url, work) {
    const browser = await playwright.launch({ ...chromium(), args: [...WEBGPU_ARGS] });
    try {
      await (await browser.newPage()).goto(url);
      return await work;
    } finally {
      await browser.close();
    }
  },
};

/** Milliseconds after which a page that sends nothing is given up. */
const MOST = 500_000;

/** The first line in which a program tells its version where it starts, else undefined. */
export function versionOf(
  [command, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv = {},
): string | undefined {
  const all = { ...process.env, ...env };
  const asked = [...args, '--version'];
  const { status, stdout } = spawnSync(command, asked, { encoding: 'utf8', env: all });
  return status === 0 ? stdout.trim().split('\n')[0] : undefined;
}

/** A program with all that it starts: they are ended together. */
export class Processes {
  readonly #child: ChildProcess;
  readonly #ended: Promise<never>;
  #stderr = '';

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv) {
    this.#child = spawn(command, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#stderr = (this.#stderr + text).slice(-2000);
    });
    this.#child.stdout?.resume();
    this.#ended = new Promise((_, reject) => {
      this.#child.on('error', reject);
      this.#child.on('exit', (code) => reject(new Error(`${command} ended: ${code}`)));
    });
    this.#ended.catch(() => {});
  }

  /** Rejects where the program ends first, or `work` takes too long. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`nothing came back in ${MOST} ms`)), MOST);
    });
    try {
      return await Promise.race([work, this.#ended, late]);
    } catch (error) {
      throw new Error(`${(error as Error).message}\n${this.#stderr}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  async end(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    process.kill(-pid, 'SIGKILL');
    await ended;
  }
}

const newFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'keysweep-browser-'));

/** Starts a browser whose files are in `folder`, which is removed when `work` is done. */
async function visitBy<Result>(
  command: string,
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
  work: Promise<Result>,
): Promise<Result> {
  const processes = new Processes(command, args, { ...process.env, HOME: folder, ...env });
  try {
    return await processes.during(work);
  } finally {
    await processes.end();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** WebGPU and WebGL2, on a software GPU. */
const WITH_GPU = {
  'dom.webgpu.enabled': true,
  'dom.webgpu.workers.enabled': true,
  'gfx.webgpu.ignore-blocklist': true,
  'webgl.force-enabled': true,
};

/** Firefox without a window. On a virtual display it may have a GPU. */
export function findFirefox(display?: Display): Browser | undefined {
  const command = ['firefox-esr', 'firefox'].find((one) => versionOf([one]) !== undefined);
  if (command === undefined) return undefined;
  return {
    name: (versionOf([command]) as string).replace(/^Mozilla /, ''),
    async visit(url, work) {
      const folder = await newFolder();
      await writeFile(join(folder, 'user.js'), userJs({ ...QUIET, ...(display && WITH_GPU) }));
      const window = display ? [] : ['--headless'];
      const args = [...window, '--no-remote', '--profile', folder, url];
      const env = display && { ...display.env, ...ON_LAVAPIPE };
      return visitBy(command, args, folder, { ...env }, work);
    },
  };
}

/** Where Debian's packages of WebKitGTK have its browser, which needs a display. */
const MINI_BROWSER = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

export function findWebKit(display: Display, env: NodeJS.ProcessEnv = {}): Browser | undefined {
  const version = versionOf([MINI_BROWSER], display.env);
  if (version === undefined) return undefined;
  return {
    name: version,
    async visit(url, work) {
      const folder = await newFolder();
      return visitBy(MINI_BROWSER, ['--private', url], folder, { ...display.env, ...env }, work);
    },
  };
}

/** A display that nobody sees. */
export interface Display {
  readonly env: { readonly DISPLAY: string };
  close(): Promise<void>;
}

/** Starts Xvfb; undefined where it is not installed. */
export async function startDisplay(): Promise<Display | undefined> {
  if (spawnSync('Xvfb', ['-help']).error !== undefined) return undefined;
  const args = ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  const number = await new Promise<string>((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => reject(new Error(`Xvfb ended: ${code}`)));
    child.stdout.on('data', (text) => resolve(`${text}`.trim()));
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    env: { DISPLAY: `:${number}` },
    async close() {
      child.kill();
      await ended;
    },
  };
}
