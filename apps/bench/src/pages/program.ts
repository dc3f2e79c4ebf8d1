/** Programs such as browsers, which start further processes and are ended together with them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

export interface Program {
  readonly pid: number;
  /** Rejects when it ends by itself. */
  readonly ended: Promise<never>;
  /** Ends it with all its processes. */
  readonly close: () => Promise<void>;
}

/** Starts a program in a group of its own; undefined if there is none of this name. */
export async function startProgram(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Program | undefined> {
  const child = await spawned(program, args, env);
  if (child === undefined) return undefined;
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
    },
  };
}

function spawned(
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
