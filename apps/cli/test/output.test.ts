/** Output files: whose they are, and what they replace. */

import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryIn } from '@keysweep/external/storage';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { ending, inProcess, KEYSWEEP, scratch, shell, sortedBy } from './command.js';
import { isRoot, outputFiles, SORTED, UNSORTED } from './output-files.js';

drawTests(1 / 2);

const path = scratch();

const { temporaries, device } = outputFiles(path);
const FOLDER_NAME = "a name that ends with '/' is a folder's, and this is to be a file";

describe('an output file', () => {
  it('may be the input', async () => {
    writeFileSync(path('both'), UNSORTED);
    expect(await sortedBy(['-t', 'u8', path('both')], path('both'))).toEqual(SORTED);
    expect(readdirSync(path(''))).toEqual(['both']);
  });

  it('is a new file, not the old one written over', async () => {
    // A program that has the old file open still reads its contents, never half a result.
    writeFileSync(path('in'), UNSORTED);
    writeFileSync(path('out'), 'before');
    const before = statSync(path('out')).ino;
    expect(await sortedBy(['-t', 'u8', path('in')], path('out'))).toEqual(SORTED);
    expect(statSync(path('out')).ino).not.toBe(before);
  });

  it('keeps its mode', async () => {
    writeFileSync(path('out'), 'before');
    chmodSync(path('out'), 0o6751);
    writeFileSync(path('in'), UNSORTED);
    await sortedBy(['-t', 'u8', path('in')], path('out'));
    expect((statSync(path('out')).mode & 0o7777).toString(8)).toBe('6751');
  });

  it('gets the mode that the umask leaves when it is new', async () => {
    const { code } = await shell(`umask 027; printf a | $KEYSWEEP sort -t u8 -o out`, path(''));
    expect({ code, mode: (statSync(path('out')).mode & 0o777).toString(8) }).toEqual({
      code: 0,
      mode: '640',
    });
  });

  it('has the name that was given, or none', async ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux tells the bytes that were given');
    writeFileSync(path('in'), UNSORTED);
    const { code, stderr } = await shell("$KEYSWEEP sort -t u8 in -o $'out\\xff'", path(''));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "keysweep: --output must be a name in UTF-8, got 'out\ufffd' (see keysweep --help)\n",
    });
    expect(readdirSync(path(''))).toEqual(['in']);
    // The character that stands for other bytes may be meant.
    expect(await shell('$KEYSWEEP sort -t u8 in -o out\ufffd', path(''))).toMatchObject({
      code: 0,
    });
    expect(readdirSync(path(''))).toEqual(['in', 'out\ufffd']);
  });

  it('is left alone when it may not be written', async ({ skip }) => {
    skip(isRoot, 'root may write to every file');
    writeFileSync(path('in'), UNSORTED);
    writeFileSync(path('out'), 'before', { mode: 0o444 });
    expect(await inProcess(['sort', '-t', 'u8', path('in'), '-o', path('out')])).toEqual({
      code: 1,
      stderr: `keysweep: cannot write '${path('out')}': permission denied (EACCES)\n`,
    });
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  });

  it('is written through a symbolic link, to an existing file or a new one', async () => {
    writeFileSync(path('in'), UNSORTED);
    mkdirSync(path('elsewhere'));
    writeFileSync(path('elsewhere/old'), 'before');
    symlinkSync('elsewhere/old', path('link'));
    symlinkSync('elsewhere/new', path('dangling'));
    for (const [link, target] of [
      ['link', 'elsewhere/old'],
      ['dangling', 'elsewhere/new'],
    ] as const) {
      await sortedBy(['-t', 'u8', path('in')], path(link));
      expect(readlinkSync(path(link))).toBe(target);
      expect(lstatSync(path(target)).isFile()).toBe(true);
      expect(readFileSync(path(target))).toEqual(SORTED);
    }
  });

  it('is left alone when it has other hard links, which would lose it', async () => {
    writeFileSync(path('in'), UNSORTED);
    writeFileSync(path('out'), 'before');
    linkSync(path('out'), path('other'));
    const { code, stderr } = await inProcess(['sort', '-t', 'u8', path('in'), '-o', path('out')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: cannot write '.*out': it has 2 hard links, and .*\n$/);
    expect(statSync(path('out')).ino).toBe(statSync(path('other')).ino);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  });

  it.each([
    ['in a folder that is missing', 'absent/out', 'no such file or directory (ENOENT)'],
    ['that is a folder', '', 'illegal operation on a directory (EISDIR)'],
    ['below a file', 'file/out', 'not a directory (ENOTDIR)'],
    ['that is a link to itself', 'loop', 'too many symbolic links encountered (ELOOP)'],
    ['whose name is too long', 'n'.repeat(300), 'name too long (ENAMETOOLONG)'],
    ['with the name of a folder that is missing', 'absent/', FOLDER_NAME],
    ['with the name of a folder where a file is', 'file/', FOLDER_NAME],
    ['with the name of a folder where a link to a file is', 'link/', FOLDER_NAME],
    ['that is a link to the name of a folder', 'to-folder', FOLDER_NAME],
  ])('%s is a failure, found before any work', async (_, name, reason) => {
    writeFileSync(path('file'), 'before');
    writeFileSync(path('in'), UNSORTED);
    symlinkSync('loop', path('loop'));
    symlinkSync('file', path('link'));
    symlinkSync('absent/', path('to-folder'));
    const before = readdirSync(path(''));
    const refused = { code: 1, stderr: `keysweep: cannot write '${path(name)}': ${reason}\n` };
    const sort = ['sort', '-t', 'u8'];
    // The input is missing too, but the output is looked at first.
    expect(await inProcess([...sort, path('no-input'), '-o', path(name)])).toEqual(refused);
    expect(await inProcess(['gen', '1', '-o', path(name)])).toEqual(refused);
    // What sorts by files has ways of its own to the output.
    const byFiles = await inProcess([...sort, '--unique', path('in'), '-o', path(name)]);
    expect(byFiles.code).toBe(1);
    expect(byFiles.stderr).toMatch(/^keysweep: cannot write '.*': .+\n$/);
    expect(readdirSync(path(''))).toEqual(before);
    expect(readFileSync(path('file'), 'utf8')).toBe('before');
  });

  it.each([
    ['is a link to itself', 'loop', 'too many symbolic links encountered (ELOOP)'],
    ['has too long a name', 'n'.repeat(300), 'name too long (ENAMETOOLONG)'],
    ['has the name of a folder, and is a file', 'file/', 'not a directory (ENOTDIR)'],
  ])('is not made for an input that %s', async (_, name, reason) => {
    writeFileSync(path('file'), '');
    symlinkSync('loop', path('loop'));
    const refused = { code: 1, stderr: `keysweep: cannot read '${path(name)}': ${reason}\n` };
    const args = ['sort', '-t', 'u8', path(name), '-o', path('out')];
    expect(await inProcess(args)).toEqual(refused);
    expect(await inProcess([...args, '--unique'])).toEqual(refused);
    expect(readdirSync(path('')).sort()).toEqual(['file', 'loop']);
  });
});

describe('another user of the machine', () => {
  const NOBODY = 65_534;

  it('cannot read an output before it is whole', async ({ skip }) => {
    skip(process.platform === 'win32', 'Windows has no modes');
    const child = spawn(process.execPath, [KEYSWEEP, 'sort', '-t', 'u8', '-o', path('out')]);
    const ended = ending(child);
    while (temporaries().length < 1) await sleep(10);
    child.stdin.end(UNSORTED);
    expect(await ended).toMatchObject({ code: 0, stderr: '' });
    writeFileSync(path('plain'), '');
    expect(statSync(path('out')).mode).toBe(statSync(path('plain')).mode);
  });

  it('has no link followed in a folder that everybody may write to', async ({ skip }) => {
    skip(!isRoot, 'only root can play two users');
    mkdirSync(path('shared'));
    chmodSync(path('shared'), 0o1777);
    writeFileSync(path('in'), UNSORTED);
    writeFileSync(path('secret'), 'precious');
    symlinkSync(path('secret'), path('shared/link'));
    lchownSync(path('shared/link'), NOBODY, NOBODY);
    const args = ['sort', '-t', 'u8', path('in'), '-o', path('shared/link')];
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/: (it is a link of user 65534 in a folder|permission denied).*\n$/);
    expect(readFileSync(path('secret'), 'utf8')).toBe('precious');
    expect(readdirSync(path('shared'))).toEqual(['link']);
  });

  it('has nothing of his removed if a pipe is sorted by files', async ({ skip }) => {
    skip(!isRoot, 'only root can play two users');
    mkdirSync(path('shared'));
    chmodSync(path('shared'), 0o1777);
    writeFileSync(path('in'), new Uint8Array(2 << 20));
    const { pid } = spawnSync(process.execPath, ['--version']);
    const left = temporaryIn(path('shared')).replace(`-${process.pid}-`, `-${pid}-`);
    mkdirSync(left);
    writeFileSync(`${left}/input`, 'his');
    for (const name of [`${left}/input`, left]) lchownSync(name, NOBODY, NOBODY);
    const script = 'cat in | TMPDIR=$PWD/shared $KEYSWEEP sort -t u8 --memory 1M > out';
    expect(await shell(script, path(''))).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path('out')).length).toBe(2 << 20);
    expect(readFileSync(`${left}/input`, 'utf8')).toBe('his');
    expect(readdirSync(path('shared'))).toHaveLength(1);
  });
});

describe('an output that is no regular file', () => {
  it('is written as it is', async () => {
    const sink = device('null');
    writeFileSync(path('in'), UNSORTED);
    const toNull = await inProcess(['sort', '-t', 'u8', path('in'), '-o', sink]);
    expect(toNull).toEqual({ code: 0, stderr: '' });
    expect(statSync(sink).isCharacterDevice()).toBe(true);
    const { stdout } = await shell(
      `mkfifo pipe; printf '\\3\\1\\2' | $KEYSWEEP sort -t u8 -o pipe & cat pipe; wait`,
      path(''),
    );
    expect(stdout).toEqual(SORTED);
    expect(lstatSync(path('pipe')).isFIFO()).toBe(true);
  });

  it('may be open already: /dev/stdout, or what the shell makes of >(…)', async () => {
    writeFileSync(path('in'), UNSORTED);
    const piped = await shell('$KEYSWEEP sort -t u8 in -o /dev/stdout | cat', path(''));
    expect(piped).toMatchObject({ stdout: SORTED, stderr: '' });
    const script = 'mkfifo end; $KEYSWEEP sort -t u8 in -o >(cat > out; : > end); cat end';
    expect(await shell(script, path(''))).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path('out'))).toEqual(SORTED);
    // A file that is written on keeps what it has.
    await shell('printf 0 > log; $KEYSWEEP sort -t u8 in -o /dev/stdout >> log', path(''));
    expect(readFileSync(path('log'))).toEqual(Buffer.concat([Buffer.from('0'), SORTED]));
  });

  it('is none that only the runtime has open', async ({ skip }) => {
    skip(process.platform !== 'linux', 'only Linux tells what a descriptor is');
    writeFileSync(path('in'), Buffer.alloc(4000, 1));
    // Node.js has pipes of its own: what it reads there it takes for addresses in its memory.
    const loop = 'for fd in {4..12}; do $KEYSWEEP sort -t u8 in -o /dev/fd/$fd; echo $fd $?; done';
    const { stdout, stderr } = await shell(`exec 2>&1; ${loop}`, path(''));
    const codes = stdout
      .toString()
      .split('\n')
      .filter((line) => /^\d/.test(line));
    expect({ codes, stderr }).toEqual({
      codes: Array.from({ length: 9 }, (_, i) => `${i + 4} 1`),
      stderr: '',
    });
    const script = '$KEYSWEEP sort -t u8 in -o /dev/fd/9 9>out';
    expect(await shell(script, path(''))).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path('out'))).toHaveLength(4000);
  });

  it('may be slow to take it all', async () => {
    writeFileSync(path('in'), new Uint8Array(9 << 20));
    const { code, stdout } = await shell('$KEYSWEEP sort -t u8 in | (sleep 0.2; wc -c)', path(''));
    expect({ code, text: stdout.toString().trim() }).toEqual({ code: 0, text: `${9 << 20}` });
  });
});
