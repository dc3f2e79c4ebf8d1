import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
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
import { sample } from '@keysweep/conformance/data';
import { temporaryIn } from '@keysweep/external/storage';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { ending, inProcess, KEYSWEEP, scratch, shell, sortedBy } from './command.js';
import { SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();

const UNSORTED = Buffer.from([3, 1, 2]);
const SORTED = Buffer.from([1, 2, 3]);
const isRoot = process.getuid?.() === 0;
const FOLDER_NAME = "a name that ends with '/' is a folder's, and this is to be a file";

/**
 * The temporary files that are there, which only this user may read. An empty one with the mode of
 * new files comes before each, and goes at once: it tells what the umask leaves.
 */
function temporaries(): string[] {
  return readdirSync(path('')).filter((name) => {
    const mode = statSync(path(name), { throwIfNoEntry: false })?.mode ?? 0;
    return name.endsWith('.tmp') && (mode & 0o777) === 0o600;
  });
}

/**
 * A device to write to: null takes everything, full nothing. Root gets a device of its own, because
 * a command with a fault could replace the one in /dev.
 */
function device(name: 'null' | 'full'): string {
  if (!isRoot) return `/dev/${name}`;
  const made = spawnSync('mknod', [path(name), 'c', '1', name === 'null' ? '3' : '7']);
  if (made.status !== 0) throw new Error(`mknod: ${made.stderr}`);
  return path(name);
}

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

  it('has nothing of his removed where a pipe is sorted by files', async ({ skip }) => {
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

  it('may be what is open already: /dev/stdout, or what the shell makes of >(…)', async () => {
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
      expect(await limited(`$KEYSWEEP sort -t u8 in -o ${name}`)).toMatchObject({
        code: 1,
        stderr: `keysweep: cannot write '${name}': file too large (EFBIG)\n`,
      });
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
