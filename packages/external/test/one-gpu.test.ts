/** `aloneWithGpu`: a program that sees one GPU of several. */

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ExternalError } from '../dist/index.js';
import { aloneWithGpu } from '../dist/run/processes/gpu.js';
import { scratch } from './scratch.js';

const { path } = scratch();

describe('a GPU for a process alone', () => {
  /** Four files that stand for GPUs, with others beside them. */
  function devices(): string[] {
    mkdirSync(path('dev'));
    const files = ['nvidia0', 'nvidia1', 'nvidia10', 'nvidia2', 'nvidiactl', 'null'];
    return files.map((name) => {
      writeFileSync(path(`dev/${name}`), `${name}\n`);
      return path(`dev/${name}`);
    });
  }

  it('hides the others from the program, and from nobody else', async ({ skip }) => {
    const allowed = [['--mount'], ['--user', '--map-root-user', '--mount']].some(
      (namespace) => spawnSync('unshare', [...namespace, 'true']).status === 0,
    );
    skip(!allowed, 'this system lets nobody make a mount namespace');
    const files = devices();
    const { href } = new URL('../dist/index.js', import.meta.url);
    // Within, it is the only one: what asks for the first one there is started as it is.
    const script = `
      import { readFileSync } from 'node:fs';
      import { aloneWithGpu } from '${href}';
      const files = ${JSON.stringify(files)};
      const within = await aloneWithGpu(0, ['program'], ${JSON.stringify(path('dev'))});
      console.log(files.map((file) => readFileSync(file, 'utf8')).join('') + within);`;
    const program = [process.execPath, '--input-type=module', '--eval', script] as const;
    const [command, ...args] = await aloneWithGpu(3, program, path('dev'));
    const seen = execFileSync(command, args, { encoding: 'utf8' });
    // By number: the fourth is 10.
    expect(seen).toBe('nvidia10\nnvidiactl\nnull\nprogram\n');
    expect(files.map((file) => readFileSync(file, 'utf8').length)).not.toContain(0);
  });

  it('leaves a program as it is if there is one, or none that can be told apart', async () => {
    mkdirSync(path('dev'));
    expect(await aloneWithGpu(0, ['true'], path('dev'))).toEqual(['true']);
    writeFileSync(path('dev/nvidia7'), '');
    expect(await aloneWithGpu(0, ['true'], path('dev'))).toEqual(['true']);
  });

  it('says what to do if there is none, and if others cannot be hidden', async () => {
    devices();
    await expect(aloneWithGpu(4, ['true'], path('dev'))).rejects.toThrow(
      /^there is no GPU 4: GPUs are counted from 0, .*nvidia0, .*nvidia10; others cannot be told/,
    );
    vi.stubEnv('PATH', path(''));
    onTestFinished(() => void vi.unstubAllEnvs());
    const call = aloneWithGpu(1, ['true'], path('dev'));
    await expect(call).rejects.toThrow(
      /^GPU 1 cannot be given to a process alone: .*unshare.*--gpus device=1$/,
    );
    await expect(call).rejects.toBeInstanceOf(ExternalError);
    // What the system says is told in a line.
    const says = "#!/bin/sh\nprintf ' it may not\\nhere  \\n\\n at all\\n' >&2\nexit 1\n";
    writeFileSync(path('unshare'), says, { mode: 0o755 });
    await expect(aloneWithGpu(1, ['true'], path('dev'))).rejects.toThrow(
      /process alone: it may not; here; at all; start one/,
    );
  });
});
