/** Programs that tests start. */

import { spawn } from 'node:child_process';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Milliseconds after which a program that hangs is ended. */
const MOST = 560_000;

/**
 * Vitest's own settings, and npm's, are not for programs that it starts. Nor is CI, in which tools
 * give advice of their own, such as to keep their caches.
 */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !/^(CI$|VITEST|NODE_ENV|NODE_OPTIONS|TEST|DEV|PROD|npm_|FORCE_COLOR)/.test(name),
  ),
);

/** Starts a program; `onOutput` is told all that it has written to standard output so far. */
function start(
  command: string,
  args: readonly string[],
  { cwd, env }: RunOptions,
  onOutput: (stdout: string) => void = () => {},
) {
  const child = spawn(command, args, {
    cwd,
    env: { ...ENVIRONMENT, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
    onOutput(stdout);
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, ended };
}

/** Runs a program to its end. */
export const run = (
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Ended> => start(command, args, options).ended;

export interface Server {
  /** The address that it has printed. */
  readonly url: string;
  /** Ends it. Resolves to all that it has printed. */
  stop(): Promise<Ended>;
}

/** Starts a program that prints its address, and waits for that. */
export function serveBy(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<Server> {
  return new Promise((resolve, reject) => {
    const { child, ended } = start(command, args, options, (stdout) => {
      const [url] = /http:\/\/localhost:\d+/.exec(stdout) ?? [];
      if (url !== undefined) resolve({ url, stop });
    });
    const stop = () => {
      child.kill();
      return ended;
    };
    ended.then(
      ({ stdout, stderr }) => reject(new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`)),
      reject,
    );
  });
}
