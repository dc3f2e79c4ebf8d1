/** WebKitGTK's own browser, on a display that nobody sees. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Program, startProgram } from './program.js';

/** Opens `url` in a MiniBrowser. @throws Error if there is none, or no Xvfb. */
export async function startWebKit(url: string, program: string): Promise<Program> {
  const home = await mkdtemp(join(tmpdir(), 'keysweep-webkit-'));
  const display = await startDisplay();
  const close = async (): Promise<void> => {
    await display.close();
    await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  const env = { ...process.env, HOME: home, DISPLAY: display.name };
  const webkit = await startProgram(program, ['--private', url], env);
  if (webkit === undefined) {
    await close();
    throw new Error(`there is no ${program} on this machine`);
  }
  return {
    ...webkit,
    async close() {
      await webkit.close();
      await close();
    },
  };
}

interface Display {
  /** As in the variable DISPLAY. */
  readonly name: string;
  readonly close: () => Promise<void>;
}

async function startDisplay(): Promise<Display> {
  const args = ['-displayfd', '1', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'];
  const child = spawn('Xvfb', args, { stdio: ['ignore', 'pipe', 'ignore'] });
  // Rejects if there is no such program.
  const exit = once(child, 'exit');
  const failed = exit.then(() => Promise.reject(new Error('Xvfb ended')));
  const [number] = (await Promise.race([once(child.stdout, 'data'), failed])) as [Buffer];
  failed.catch(() => {});
  return {
    name: `:${number.toString().trim()}`,
    async close() {
      child.kill();
      await exit;
    },
  };
}
