import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import { COMMON_KEY_TYPES, isThorough, Random, sample } from '@keysweep/conformance/data';
import { oraclePermutation } from '@keysweep/core/oracle';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { performerOf } from '../dist/job/job.js';
import { parseCommand } from '../src/arguments/parse.js';
import { assertLittleEndian } from '../src/commands/sort.js';
import { inProcess, keysweep, scratch, shell, sortedBy } from './command.js';
import { bufferOf, randomKeys, SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();
const ORDERS = ['ascending', 'descending'] as const;

/** The keys in the oracle's order. */
function ordered(keys: ReturnType<typeof randomKeys>, order: (typeof ORDERS)[number]): Buffer {
  const sorted = keys.slice();
  oraclePermutation([keys], { order }).forEach((from, to) => {
    sorted[to] = keys[from] as never;
  });
  return bufferOf(sorted);
}

describe(`raw values (seed ${SEED})`, () => {
  it.each(COMMON_KEY_TYPES)('sorts %s from file to file, in both orders', async (keyType) => {
    const keys = randomKeys(keyType, 5000, SEED);
    writeFileSync(path('in'), bufferOf(keys));
    for (const order of ORDERS) {
      const flags = order === 'descending' ? ['--descending'] : [];
      const sorted = await sortedBy(['-t', keyType, ...flags, path('in')], path('out'));
      expect(sorted.equals(ordered(keys, order)), order).toBe(true);
    }
    expect(readFileSync(path('in')).equals(bufferOf(keys))).toBe(true);
  });

  it('takes --head 0 as it takes any --head', async () => {
    writeFileSync(path('in'), bufferOf(randomKeys('u8', 1000, SEED)));
    const given = ['-t', 'u8', '--head', '0', path('in')];
    expect(await sortedBy(given, path('out'))).toHaveLength(0);
    for (const more of [['--unique'], ['--processes', '1']]) {
      const { code, stderr } = await inProcess(['sort', ...given, ...more, '-o', path('out')]);
      expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(more[0] ?? '') });
    }
  });

  it.each(sample(COMMON_KEY_TYPES, 1, SEED))(
    'sorts %s as a program, from standard input to standard output and from file to file',
    async (keyType) => {
      const keys = randomKeys(keyType, 5000, SEED);
      const piped = await keysweep(['sort', '--type', keyType], bufferOf(keys));
      expect(piped).toMatchObject({ code: 0, stderr: '' });
      expect(piped.stdout.equals(ordered(keys, 'ascending'))).toBe(true);
      writeFileSync(path('in'), bufferOf(keys));
      const args = ['sort', '-t', keyType, '--descending', path('in'), '-o', path('out')];
      const { code, stdout, stderr } = await keysweep(args);
      expect({ code, stderr, written: stdout.length }).toEqual({ code: 0, stderr: '', written: 0 });
      expect(readFileSync(path('out')).equals(ordered(keys, 'descending'))).toBe(true);
    },
  );

  it('are sorted on the main thread, or by another if it could not hear signals', async () => {
    const started: Worker[] = [];
    const count = (thread: Worker): void => void started.push(thread);
    process.on('worker', count);
    try {
      writeFileSync(path('in'), Buffer.from([3, 1, 2]));
      const sorted = await sortedBy(['-t', 'u8', path('in')], path('out'));
      expect([...sorted]).toEqual([1, 2, 3]);
      expect(started).toHaveLength(0);
      await sortedBy(['-t', 'u8', '--backend', 'builtin', path('in')], path('out'));
      expect(started).toHaveLength(1);
    } finally {
      process.off('worker', count);
    }
  });

  it('writes the stable order as u32 positions with --argsort', async () => {
    const keys = randomKeys('i8', 5000, SEED + 2);
    writeFileSync(path('in'), bufferOf(keys));
    for (const order of ORDERS) {
      const flags = order === 'descending' ? ['--argsort', '-d'] : ['--argsort'];
      const sorted = await sortedBy(['-t', 'i8', ...flags, path('in')], path('out'));
      expect(sorted.equals(bufferOf(oraclePermutation([keys], { order }))), order).toBe(true);
    }
  });

  it('takes - for standard input and for standard output', async () => {
    const args = ['sort', '-t', 'u8', '-', '-o', '-'];
    const { code, stdout } = await keysweep(args, Buffer.from([3, 1, 2]));
    expect({ code, stdout }).toEqual({ code: 0, stdout: Buffer.from([1, 2, 3]) });
  });

  it('sorts an empty file and an empty pipe', async () => {
    writeFileSync(path('in'), '');
    expect(await sortedBy(['-t', 'f64', path('in')], path('out'))).toEqual(Buffer.of());
    expect(await keysweep(['sort', '-t', 'f64'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('reads a named pipe', async () => {
    const script = `mkfifo pipe; printf '\\3\\1\\2' > pipe & $KEYSWEEP sort -t u8 pipe; wait`;
    const { code, stdout } = await shell(script, path(''));
    expect({ code, stdout }).toEqual({ code: 0, stdout: Buffer.from([1, 2, 3]) });
  });

  it('sorts more bytes than fit into one read or write, by file and by pipe', async () => {
    const keys = new Uint32Array(isThorough ? 25_000_000 : 2_500_000);
    new Random(SEED + 3).fill(keys);
    writeFileSync(path('in'), bufferOf(keys));
    // Independent of the package: the runtime's own sort.
    const expected = bufferOf(keys.sort());
    expect((await sortedBy(['-t', 'u32', path('in')], path('out'))).equals(expected)).toBe(true);
    const byPipe = await shell('cat in | $KEYSWEEP sort -t u32 | cat > piped', path(''));
    expect(byPipe).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path('piped')).equals(expected)).toBe(true);
  });

  it('uses the backend that is named, and reports it with --report', async () => {
    writeFileSync(path('in'), new Uint8Array(4 * 2000));
    const args = ['sort', '-t', 'u32', '--backend', 'builtin', '--report'];
    const { code, stderr } = await inProcess([...args, path('in'), '-o', path('out')]);
    expect({ code, size: readFileSync(path('out')).length }).toEqual({ code: 0, size: 8000 });
    expect(stderr).toMatch(/^sorted 2,000 u32 keys in .* with 'builtin'\n/);
    expect(stderr).toMatch(/\n {2}in all +reading .* ms, ordering .* ms, writing .* ms\n/);
    expect(stderr).toMatch(/\n {2}why .*named it\n/);
    expect(stderr).toMatch(/\n {2}passes .*\n {2}threads {2}1\n$/);
  });

  it('fails when the backend that is named is not available', async () => {
    writeFileSync(path('in'), new Uint8Array(8));
    const args = ['sort', '-t', 'u32', '--backend', 'webgl2', path('in'), '-o', path('out')];
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: backend 'webgl2' cannot serve this sort: .*\n$/);
    expect(existsSync(path('out'))).toBe(false);
  });

  const hasFloat16 = 'Float16Array' in globalThis;

  it('says what f16 needs if the runtime has no Float16Array', async ({ skip }) => {
    skip(hasFloat16, 'this runtime has Float16Array');
    writeFileSync(path('in'), new Uint8Array(4));
    const { code, stderr } = await inProcess(['sort', '-t', 'f16', path('in'), '-o', path('out')]);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: f16 needs Float16Array, which this runtime .*\n$/);
  });

  it('sorts f16', async ({ skip }) => {
    skip(!hasFloat16, 'this runtime has no Float16Array');
    // 1, -1, 0.5 and -0 as half precision numbers.
    writeFileSync(path('in'), bufferOf(new Uint16Array([0x3c00, 0xbc00, 0x3800, 0x8000])));
    const sorted = await sortedBy(['-t', 'f16', path('in')], path('out'));
    expect(sorted).toEqual(bufferOf(new Uint16Array([0xbc00, 0x8000, 0x3800, 0x3c00])));
  });

  it('refuses a big-endian machine', () => {
    expect(() => assertLittleEndian('BE')).toThrow('this machine is big-endian');
    expect(() => assertLittleEndian('LE')).not.toThrow();
  });
});

describe('an input that cannot be sorted', () => {
  const sort = (type: string, input: string) =>
    inProcess(['sort', '-t', type, input, '-o', path('out')]);

  it('fails when it is truncated, and says how many bytes are left over', async () => {
    writeFileSync(path('in'), new Uint8Array(1003));
    expect(await sort('f32', path('in'))).toEqual({
      code: 1,
      stderr:
        `keysweep: '${path('in')}' is truncated: its 1003 bytes are not a multiple ` +
        'of the 4 bytes of one f32 value (3 left over)\n',
    });
    expect(await keysweep(['sort', '-t', 'i64'], new Uint8Array(9))).toMatchObject({
      code: 1,
      stderr:
        'keysweep: standard input is truncated: its 9 bytes are not a multiple of ' +
        'the 8 bytes of one i64 value (1 left over)\n',
    });
  });

  it('is a failure when it is missing, or a directory', async () => {
    expect(await sort('f32', path('absent'))).toEqual({
      code: 1,
      stderr: `keysweep: cannot read '${path('absent')}': no such file or directory (ENOENT)\n`,
    });
    expect(await sort('f32', path(''))).toEqual({
      code: 1,
      stderr: `keysweep: cannot read '${path('')}': it is a directory\n`,
    });
    expect(await shell('$KEYSWEEP sort -t f32 < .', path(''))).toMatchObject({
      code: 1,
      stderr: 'keysweep: cannot read standard input: it is a directory\n',
    });
  });

  it('is a failure when standard input is closed, and empty for the null device', async () => {
    const closed = await shell('$KEYSWEEP sort -t u8 <&-', path(''));
    const tells = process.platform === 'linux';
    expect(closed.stderr).toBe(
      tells
        ? 'keysweep: cannot read standard input: it is closed; pipe values in, ' +
            'or name an INPUT file\n'
        : '',
    );
    expect(await shell('$KEYSWEEP sort -t u8 < /dev/null', path(''))).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('is a failure when it is a stream of over half of the memory that is free', async () => {
    const little =
      'data:text/javascript,import os from "node:os"; os.freemem = () => 3e7;' +
      'import { syncBuiltinESMExports } from "node:module"; syncBuiltinESMExports();';
    const options = `NODE_OPTIONS="--import ${encodeURI(little)}"`;
    const zeros = 'head -c 40000000 /dev/zero';
    const why = 'it has over 15000000 bytes, which is half of the memory that is free; ';
    const wanted = { code: 1, stderr: expect.stringContaining(why) };
    const [named, piped] = await Promise.all([
      shell(`${options} $KEYSWEEP sort -t u64 <(${zeros}) -o /dev/null`, path('')),
      shell(`${zeros} | ${options} $KEYSWEEP sort -t u64 -o /dev/null`, path('')),
    ]);
    expect(named).toMatchObject(wanted);
    expect(piped).toMatchObject(wanted);
  });

  it('is a failure when it has fewer bytes than the system says', async ({ skip }) => {
    const file = '/sys/devices/system/cpu/online';
    skip(!existsSync(file), 'this system has no such file');
    expect(await sort('u8', file)).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^keysweep: cannot read '.*': the system says that .*\n$/),
    });
  });

  it('is a failure when it may not be read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read every file');
    writeFileSync(path('in'), '', { mode: 0o000 });
    expect(await sort('f32', path('in'))).toEqual({
      code: 1,
      stderr: `keysweep: cannot read '${path('in')}': permission denied (EACCES)\n`,
    });
  });

  it('leaves an existing output unchanged', async () => {
    writeFileSync(path('in'), new Uint8Array(7));
    writeFileSync(path('out'), 'before');
    expect(await sort('u16', path('in'))).toMatchObject({ code: 1 });
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  });
});

it('goes to a slow output one piece at a time, and all of it before the work is done', async () => {
  // Rows of 1 MiB, of which four are a piece.
  const width = 2 ** 20;
  const rows = Uint8Array.from([7, 3, 9, 1, 8, 2, 6, 4, 5]);
  const input = new Uint8Array(rows.length * width);
  for (const [row, key] of rows.entries()) input.fill(key, row * width, (row + 1) * width);
  writeFileSync(path('in'), input);
  const command = parseCommand(['sort', '--record', `${width}`, '--key', '0:1', path('in')]);
  if (command.name !== 'sort') throw new Error('it is another command');
  const performer = performerOf(command);
  let [underWay, most] = [0, 0];
  const written: number[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    most = Math.max(most, ++underWay);
    await delay(20);
    for (let at = 0; at < bytes.length; at += width) written.push(bytes[at] as number);
    underWay--;
  };
  const progress = { update: () => {}, clear: () => {} };
  await performer.run({ command, standardInput: undefined }, { write }, progress);
  expect(written).toEqual([...rows.sort()]);
  expect(most).toBe(1);
  await performer.end();
});
