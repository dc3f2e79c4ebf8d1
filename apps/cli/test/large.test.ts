/** Sorts by files: --memory, --unique, --resume; and keysweep gen and check. */

import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { ending, inProcess, KEYSWEEP, keysweep, scratch, shell, sortedBy } from './command.js';
import { SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();

/** CRC-32, bit by bit. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Some megabytes, which do not fit into one. */
const LENGTH = 600_000;

function numbers(): { readonly unsorted: Uint32Array; readonly sorted: Buffer } {
  const unsorted = new Random(SEED).fill(new Uint32Array(LENGTH));
  return { unsorted, sorted: Buffer.from(unsorted.slice().sort().buffer) };
}

describe('--memory', () => {
  it('sorts what does not fit by files, from a file to a file', async () => {
    const { unsorted, sorted } = numbers();
    writeFileSync(path('in'), unsorted);
    const args = ['sort', '-t', 'u32', '--memory', '1M', '--report', path('in'), '-o', path('out')];
    const { code, stderr } = await inProcess(args);
    expect({ code, same: readFileSync(path('out')).equals(sorted) }).toEqual({
      code: 0,
      same: true,
    });
    expect(stderr).toMatch(/^sorted 2\.4 MB in .* with 1\.0 MB of memory\n/);
    expect(stderr).toMatch(/in 2 passes\n {2}parts +1\d, the largest 1\.\d\d times the mean\n/);
    expect(readdirSync(path('')).sort()).toEqual(['in', 'out']);
  });

  it('sorts a pipe that has a name', async () => {
    const { unsorted, sorted } = numbers();
    writeFileSync(path('in'), unsorted);
    const script = 'mkfifo pipe; cat in > pipe & $KEYSWEEP sort -t u32 --memory 1M pipe -o out';
    const { code, stderr } = await shell(script, path(''));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(readFileSync(path('out')).equals(sorted), `seed ${SEED}`).toBe(true);
  });

  it('leaves what fits to a sort in memory, and holds for standard input', async () => {
    const { unsorted, sorted } = numbers();
    writeFileSync(path('in'), unsorted);
    const report = async (memory: string): Promise<string> =>
      (
        await inProcess([
          'sort',
          '-t',
          'u32',
          '--memory',
          memory,
          '--report',
          path('in'),
          '-o',
          path('out'),
        ])
      ).stderr;
    expect(await report('64M')).toMatch(/^sorted 600,000 u32 keys in/);
    const piped = await keysweep(
      ['sort', '-r', '-t', 'u32', '--memory', '1M'],
      Buffer.from(unsorted.buffer),
    );
    const reversed = Buffer.from(new Uint32Array(sorted.buffer.slice(0)).reverse().buffer);
    expect({ code: piped.code, same: piped.stdout.equals(reversed) }).toEqual({
      code: 0,
      same: true,
    });
  });

  it.each([
    [
      ['-t', 'u32', '--memory', '1000'],
      "--memory must be bytes from 1M on, such as 512M or 4G, got '1000'",
    ],
    [
      ['-t', 'u32', '--memory', '2X'],
      "--memory must be bytes from 1M on, such as 512M or 4G, got '2X'",
    ],
    [
      ['-t', 'u32', '--argsort', '--unique'],
      '--unique is for rows of tables and for whole files of raw numbers and records',
    ],
    [['-t', 'u32', '--resume'], '--resume needs an INPUT and an OUTPUT that are files'],
  ])('%j is not a valid command line', async (args, message) => {
    expect(await inProcess(['sort', ...args, 'in'])).toEqual({
      code: 2,
      stderr: `keysweep: ${message} (see keysweep --help)\n`,
    });
  });

  it('refuses text and what is truncated, as a sort in memory does', async () => {
    writeFileSync(path('in'), 'one line of text\n'.repeat(100_000));
    writeFileSync(path('short'), new Uint8Array(2_000_001));
    const sort = (name: string) =>
      inProcess(['sort', '-t', 'u32', '--memory', '1M', path(name), '-o', path('out')]);
    expect(await sort('in')).toMatchObject({ code: 2, stderr: expect.stringContaining('is text') });
    expect(await sort('short')).toEqual({
      code: 1,
      stderr:
        `keysweep: '${path('short')}' is truncated: its 2000001 bytes are not a multiple of the ` +
        '4 bytes of one record (1 left over)\n',
    });
    const text = await keysweep(['sort', '-t', 'u32', '--memory', '1M'], readFileSync(path('in')));
    expect(text).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('standard input is text'),
    });
    expect(readdirSync(path('')).sort()).toEqual(['in', 'short']);
  });
});

it('--unique writes the first of equal keys', async () => {
  writeFileSync(path('in'), 'b1a1b2a2a3');
  const args = ['--record', '2', '--key', '0:1', '--unique'];
  expect(`${await sortedBy([...args, path('in')], path('out'))}`).toBe('a1b1');
});

describe('a command that is ended', () => {
  it('by a signal leaves nothing, wherever its temporary files are', async () => {
    writeFileSync(path('out'), 'before');
    mkdirSync(path('tmp'));
    const args = ['sort', '-t', 'u8', '--memory', '1M', '--tmp', path('tmp'), '-o', path('out')];
    const child = spawn(process.execPath, [KEYSWEEP, ...args]);
    const ended = ending(child);
    // It ends before it has read everything.
    child.stdin.on('error', () => {});
    child.stdin.write(new Uint8Array(1 << 20));
    // It waits for the rest of its input, a part of which is spooled.
    while (readdirSync(path('tmp')).length === 0) await sleep(10);
    child.kill('SIGINT');
    expect(await ended).toMatchObject({ signal: 'SIGINT', stderr: '' });
    expect(readdirSync(path('tmp'))).toEqual([]);
    expect(readdirSync(path('')).sort()).toEqual(['out', 'tmp']);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  });

  it('by SIGKILL is gone on with by --resume', async () => {
    const { unsorted, sorted } = numbers();
    writeFileSync(path('in'), unsorted);
    writeFileSync(
      path('kill.mjs'),
      `import fs from 'node:fs/promises';
       import { syncBuiltinESMExports } from 'node:module';
       const { rename } = fs;
       let written = 0;
       fs.rename = async (from, to) => {
         await rename(from, to);
         if (to.endsWith('done.json') && ++written === 4) process.kill(process.pid, 'SIGKILL');
       };
       syncBuiltinESMExports();`,
    );
    const args = [KEYSWEEP, 'sort', '-t', 'u32', '--memory', '1M', path('in'), '-o', path('out')];
    const killed = await ending(spawn(process.execPath, ['--import', path('kill.mjs'), ...args]));
    expect(killed).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    expect(readdirSync(path(''))).toHaveLength(4);
    const resumed = await inProcess([...args.slice(1), '--resume', '--report']);
    expect(resumed.stderr).toMatch(/ parts +1\d, ([3-9]|1\d) of them before, /);
    expect(readFileSync(path('out')).equals(sorted), `seed ${SEED}`).toBe(true);
    expect(readdirSync(path('')).sort()).toEqual(['in', 'kill.mjs', 'out']);
  });

  it('by a full disk says so in one line', async ({ skip }) => {
    mkdirSync(path('small'));
    const mount = ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', path('small')];
    const mounted = spawnSync('mount', mount);
    skip(mounted.status !== 0, `no file system can be mounted here: ${mounted.stderr}`);
    try {
      writeFileSync(path('in'), numbers().unsorted);
      const args = ['sort', '-t', 'u32', '--memory', '1M', '--tmp', path('small')];
      // Its size is looked up for a file, and met by a stream.
      const found = await inProcess([
        ...args,
        '--tmp',
        path('small'),
        path('in'),
        '-o',
        path('small/out'),
      ]);
      expect(found).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/not enough space in/),
      });
      const met = await shell(
        `cat in | ${process.execPath} ${KEYSWEEP} ${args.join(' ')} > out`,
        path(''),
      );
      expect(met).toMatchObject({ code: 1, stderr: expect.stringMatching(/^keysweep: .*\n$/) });
      expect(readdirSync(path('small'))).toEqual([]);
    } finally {
      spawnSync('umount', [path('small')]);
    }
  });
});

describe('gen and check', () => {
  it('make records, and tell that a sort has lost none', async () => {
    const gen = await inProcess(['gen', '30000', '--seed', '7', '-o', path('in')]);
    expect(gen).toEqual({ code: 0, stderr: '' });
    const records = readFileSync(path('in'));
    expect(records).toHaveLength(3_000_000);
    const marks = ['0011', '8899aabb', 'ccddeeff'].map((hex) => Buffer.from(hex, 'hex'));
    for (let i = 0; i < 30_000; i++) {
      // The number of the record, and twelve letters in turns, each four times.
      const digits = i.toString(16).toUpperCase().padStart(32, '0');
      const letters = Array.from({ length: 12 }, (_, at) => 'A'.charCodeAt(0) + ((i + at) % 26));
      const filler = letters.map((letter) => String.fromCharCode(letter).repeat(4)).join('');
      const [mark, second, last] = marks as [Buffer, Buffer, Buffer];
      const rest = Buffer.concat([mark, Buffer.from(digits), second, Buffer.from(filler), last]);
      if (!records.subarray(100 * i + 10, 100 * i + 100).equals(rest)) expect.unreachable(`${i}`);
    }
    const layout = ['--record', '100', '--key', '0:10'];
    const check = (...args: string[]) => keysweep(['check', ...layout, ...args]);
    let sum = 0n;
    for (let at = 0; at < records.length; at += 100) {
      sum += BigInt(crc32(records.subarray(at, at + 100)));
    }
    const unsorted = await check('--sum', path('in'));
    const printed = `records        30000\nchecksum       ${sum.toString(16)}\nrepeated keys  0\n`;
    expect(`${unsorted.stdout}`).toBe(printed);
    expect(unsorted).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/is not sorted: record \d/),
    });
    await sortedBy([...layout, '--memory', '1M', path('in')], path('out'));
    const sorted = await check('--sum', path('out'));
    expect({ ...sorted, stdout: `${sorted.stdout}` }).toMatchObject({
      code: 0,
      stderr: '',
      stdout: printed,
    });
    expect(await check('-r', path('out'))).toMatchObject({ code: 1 });
    // The same seed makes the same records.
    await inProcess(['gen', '30000', '--seed', '7', '-o', path('again')]);
    expect(readFileSync(path('again')).equals(records)).toBe(true);
  });

  it('check numbers, and count repeats', async () => {
    writeFileSync(path('in'), Float64Array.of(-1, -0, 0, 0, 5, NaN, NaN));
    const checked = await keysweep(['check', '-t', 'f64', '--sum', path('in')]);
    expect(checked).toMatchObject({ code: 0, stderr: '' });
    expect(`${checked.stdout}`).toMatch(/records +7\nchecksum +[0-9a-f]+\nrepeated keys +2\n/);
    writeFileSync(path('in'), Uint8Array.of(1, 3, 2));
    expect(await inProcess(['check', '-t', 'u8', path('in')])).toEqual({
      code: 1,
      stderr:
        `keysweep: '${path('in')}' is not sorted: record 2 belongs before record 1 ` +
        '(the first record is 0)\n',
    });
  });

  it.each([
    [['check', '-t', 'u8'], 'check needs one INPUT, which is a file'],
    [['gen'], 'gen needs one number: how many records to make'],
    [['gen', 'many'], "RECORDS must be a whole number from 0 on, got 'many'"],
  ])('%j is not a valid command line', async (args, message) => {
    expect(await inProcess(args)).toEqual({
      code: 2,
      stderr: `keysweep: ${message} (see keysweep --help)\n`,
    });
  });
});
