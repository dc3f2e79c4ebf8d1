/** Programs in processes of their own: how long they take, and how much memory. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** How a program ran. */
export interface Alone {
  /** From its start to its end. */
  readonly milliseconds: number;
  /** Most bytes of memory that it had, where Linux says; else 0. */
  readonly peak: number;
  readonly stdout: string;
}

/** Between two looks at its memory, in milliseconds. */
const INTERVAL = 10;

/** Runs a program. @throws Error with what it said, where it does not end well */
export function runAlone(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<Alone> {
  const start = performance.now();
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr, peak] = ['', '', 0];
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  // The system keeps the peak, so that a look shortly before the end has nearly all of it.
  const looking = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid));
  }, INTERVAL);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearInterval(looking);
      const milliseconds = performance.now() - start;
      if (code === 0) resolve({ milliseconds, peak, stdout });
      else reject(new Error(`${command} ended with ${code}: ${stderr.trim()}`));
    });
  });
}

/** Most bytes of memory that a process has had, where Linux says. */
export function peakOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
