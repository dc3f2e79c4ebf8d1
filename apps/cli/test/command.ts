/** Runs the command: as a program of its own, or in this process, which is much quicker. */

import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { run } from '../dist/run.js';

export { scratchFolder as scratch } from '../../../tools/test/scratch-folder.js';

/** The command's file. */
export const KEYSWEEP: string = fileURLToPath(new URL('../bin/keysweep.js', import.meta.url));

/** How a program ended, and its output. */
export interface Ending {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Resolves when `child` has ended. */
export function ending(child: ChildProcess): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const stdout: Buffer[] = [];
    const stderr: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve({
        code,
        signal,
        stdout: Buffer.concat(stdout),
        stderr: Buffer.concat(stderr).toString(),
      });
    });
  });
}

/** Runs `keysweep ...args` as a program, giving it `input` on standard input. */
export function keysweep(
  args: readonly string[],
  input: Uint8Array = Buffer.of(),
): Promise<Ending> {
  const child = spawn(process.execPath, [KEYSWEEP, ...args]);
  // A command that fails early closes its standard input before it has read everything.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') throw error;
  });
  child.stdin.end(input);
  return ending(child);
}

/** Runs `keysweep ...args` in this process; `args` name its input and its output. */
export async function inProcess(
  args: readonly string[],
): Promise<{ readonly code: number; readonly stderr: string }> {
  let stderr = '';
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += text;
    return true;
  });
  try {
    const code = await run(args);
    return { code, stderr };
  } finally {
    write.mockRestore();
  }
}

/** Runs `script` in bash, with $KEYSWEEP standing for the command. */
export function shell(script: string, cwd: string): Promise<Ending> {
  const env = { ...process.env, KEYSWEEP: `${process.execPath} ${KEYSWEEP}` };
  return ending(spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] }));
}

/** What `keysweep sort ...args -o output` writes. @throws Error unless it ends with code 0 */
export async function sortedBy(args: readonly string[], output: string): Promise<Buffer> {
  const { code, stderr } = await inProcess(['sort', ...args, '-o', output]);
  if (code !== 0 || stderr !== '') throw new Error(`exit code ${code}: ${stderr}`);
  return readFileSync(output);
}
