/** Output files of commands that a full disk or a signal ends. */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sample } from '@keysweep/conformance/data';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { ending, inProcess, KEYSWEEP, scratch, shell, sortedBy } from './command.js';
import { SEED } from './keys.js';
import { outputFiles, SORTED, UNSORTED } from './output-files.js';

const path = scratch();

const { temporaries, device } = outputFiles(path);

describe('a disk that fills', () => {
  it('fails standard output', async ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux has a device that is always full');
    writeFileSync(path('in'), UNSORTED);
    expect(await shell('$KEYSWEEP sort -t u8 in > /dev/full', path(''))).toMatchObject({
      code: 1,
      stderr: 'keysweep: cannot write standard output: no space left on device (ENOSPC)\n',
    });
    const full = device('full');
    expect(await inProcess(['sort', '-t', 'u8', path('in'), '-o', full])).toEqual({
      code: 1,
      stderr: `keysweep: cannot write '${full}': no space left on device (ENOSPC)\n`,
    });
  });

  it('leaves no output and no temporary file, with a limit on file sizes', async () => {
    writeFileSync(path('in'), new Uint8Array(1 << 20));
    writeFileSync(path('old'), 'before');
    const limited = (command: string) => shell(`ulimit -f 100; ${command}`, path(''));
    for (const name of sample(['new', 'old'], 1, SEED)) {
      for (const command of ['sort -t u8 in', 'gen 5000']) {
        expect(await limited(`$KEYSWEEP ${command} -o ${name}`)).toMatchObject({
          code: 1,
          stderr: `keysweep: cannot write '${name}': file too large (EFBIG)\n`,
        });
      }
    }
    expect(readdirSync(path('')).sort()).toEqual(['in', 'old']);
    expect(readFileSync(path('old'), 'utf8')).toBe('before');
    // The limit is met in the middle of a write, which the system reports as a short one.
    expect(await limited('$KEYSWEEP sort -t u8 in > redirected')).toMatchObject({
      code: 1,
      stderr: 'keysweep: cannot write standard output: file too large (EFBIG)\n',
    });
  });

  it('leaves no output and no temporary file, on a small file system', async ({ skip }) => {
    mkdirSync(path('small'));
    const mount = ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', path('small')];
    const mounted = spawnSync('mount', mount);
    skip(mounted.status !== 0, `no file system can be mounted here: ${mounted.stderr}`);
    try {
      writeFileSync(path('in'), new Uint8Array(1 << 20));
      const args = ['sort', '-t', 'u8', path('in'), '-o', path('small/out')];
      const csv = ['sort', '-c', '1', '--no-header', path('in.csv'), '-o', path('small/out')];
      writeFileSync(path('in.csv'), '1\n0\n'.repeat(1 << 18));
      for (const command of [args, csv]) {
        const { code, stderr } = await inProcess(command);
        expect(code).toBe(1);
        expect(stderr).toBe(
          `keysweep: cannot write '${path('small/out')}': no space left on device (ENOSPC)\n`,
        );
      }
      expect(readdirSync(path('small'))).toEqual([]);
    } finally {
      spawnSync('umount', [path('small')]);
    }
  });
});

describe('a signal', () => {
  const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

  it.each(sample(SIGNALS, 1, SEED))('%s leaves no temporary file', async (signal) => {
    writeFileSync(path('out'), 'before');
    const child = spawn(process.execPath, [KEYSWEEP, 'sort', '-t', 'u8', '-o', path('out')]);
    const ended = ending(child);
    child.stdin.write(UNSORTED);
    // It waits for the rest of its input, its temporary file made.
    while (temporaries().length < 1) await sleep(10);
    child.kill(signal);
    expect(await ended).toMatchObject({ signal, stderr: '' });
    expect(readdirSync(path(''))).toEqual(['out']);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  });

  it.each([
    ['a file is decoded', 'DataView.prototype.getUint32', 'in.arrow'],
    ['the built-in sort runs', 'Object.getPrototypeOf(Int8Array.prototype).sort', 'in.i8'],
  ])('ends the command while %s, however long that takes', async (_, endless, input) => {
    writeFileSync(path('in.arrow'), tableToIPC(tableFromArrays({ x: Int8Array.of(3, 1, 2) })));
    writeFileSync(path('in.i8'), UNSORTED);
    mkdirSync(path('to'));
    writeFileSync(
      path('endless.mjs'),
      `import { writeFileSync } from 'node:fs';
       ${endless} = () => { writeFileSync(${JSON.stringify(path('begun'))}, ''); for (;;); };`,
    );
    const how =
      input === 'in.i8' ? ['-t', 'i8', '--backend', 'builtin'] : ['--values-only', '-c', 'x'];
    const args = ['--import', path('endless.mjs'), KEYSWEEP, 'sort', ...how];
    const child = spawn(process.execPath, [...args, path(input), '-o', path('to/out')]);
    const ended = ending(child);
    while (!existsSync(path('begun')) && child.exitCode === null) await sleep(10);
    expect(readdirSync(path('to'))).toHaveLength(1);
    child.kill('SIGTERM');
    // A command that is deaf to it has to end some time, too.
    const guard = setTimeout(() => child.kill('SIGKILL'), 20_000);
    expect(await ended).toMatchObject({ signal: 'SIGTERM', stderr: '' });
    clearTimeout(guard);
    expect(readdirSync(path('to'))).toEqual([]);
  });

  it('SIGKILL leaves a temporary file, which the next run removes', async () => {
    const start = (): ReturnType<typeof spawn> =>
      spawn(process.execPath, [KEYSWEEP, 'sort', '-t', 'u8', '-o', path('out')]);
    const killed = start();
    while (temporaries().length < 1) await sleep(10);
    const [left] = temporaries();
    killed.kill('SIGKILL');
    await ending(killed);
    const living = start();
    while (temporaries().every((name) => name === left)) await sleep(10);
    const written = temporaries();
    expect(written).toHaveLength(1);
    // What a living process writes stays, and what another system left.
    const foreign = `.keysweep-000000000000-1-00000000.tmp`;
    writeFileSync(path(foreign), '', { mode: 0o600 });
    writeFileSync(path('in'), UNSORTED);
    expect(await sortedBy(['-t', 'u8', path('in')], path('other'))).toEqual(SORTED);
    expect(temporaries().sort()).toEqual([foreign, ...written].sort());
    const ended = ending(living);
    living.stdin?.end(UNSORTED);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path('out'))).toEqual(SORTED);
  });
});
