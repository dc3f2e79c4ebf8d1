import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { COMMON_KEY_TYPES } from '@keysweep/conformance/data';
import { oraclePermutation } from '@keysweep/core/oracle';
import { describe, expect, it } from 'vitest';
import { assertLittleEndian } from '../src/commands/sort.js';
import { keysweep, scratch, shell } from './command.js';
import { bufferOf, randomKeys, SEED } from './keys.js';

const path = scratch();

/** The keys in the oracle's order. */
function ordered(keys: ReturnType<typeof randomKeys>, order: 'ascending' | 'descending'): Buffer {
  const sorted = keys.slice();
  oraclePermutation([keys], { order }).forEach((from, to) => {
    sorted[to] = keys[from] as never;
  });
  return bufferOf(sorted);
}

describe(`raw values (seed ${SEED})`, () => {
  it.each(COMMON_KEY_TYPES)('sorts %s from standard input to standard output', async (keyType) => {
    const keys = randomKeys(keyType, 5000, SEED);
    const { code, stdout, stderr } = await keysweep(['sort', '--type', keyType], bufferOf(keys));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.equals(ordered(keys, 'ascending'))).toBe(true);
  });

  it.each(COMMON_KEY_TYPES)('sorts %s from file to file, descending', async (keyType) => {
    const keys = randomKeys(keyType, 5000, SEED + 1);
    writeFileSync(path('in'), bufferOf(keys));
    const args = ['sort', '-t', keyType, '--descending', path('in'), '-o', path('out')];
    const { code, stdout, stderr } = await keysweep(args);
    expect({ code, stderr, written: stdout.length }).toEqual({ code: 0, stderr: '', written: 0 });
    expect(readFileSync(path('out')).equals(ordered(keys, 'descending'))).toBe(true);
    expect(readFileSync(path('in')).equals(bufferOf(keys))).toBe(true);
  });

  it('writes the stable order as u32 positions with --argsort', async () => {
    const keys = randomKeys('i8', 5000, SEED + 2);
    for (const order of ['ascending', 'descending'] as const) {
      const flags = order === 'descending' ? ['--argsort', '-d'] : ['--argsort'];
      const { stdout } = await keysweep(['sort', '-t', 'i8', ...flags], bufferOf(keys));
      expect(stdout.equals(bufferOf(oraclePermutation([keys], { order })))).toBe(true);
    }
  });

  it('takes - for standard input and for standard output', async () => {
    const args = ['sort', '-t', 'u8', '-', '-o', '-'];
    const { code, stdout } = await keysweep(args, Buffer.from([3, 1, 2]));
    expect({ code, stdout }).toEqual({ code: 0, stdout: Buffer.from([1, 2, 3]) });
  });

  it('sorts nothing into nothing', async () => {
    writeFileSync(path('in'), '');
    const { code } = await keysweep(['sort', '-t', 'f64', path('in'), '-o', path('out')]);
    expect({ code, size: readFileSync(path('out')).length }).toEqual({ code: 0, size: 0 });
    expect(await keysweep(['sort', '-t', 'f64'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('reads a named pipe', async () => {
    const script = `mkfifo pipe; printf '\\3\\1\\2' > pipe & $KEYSWEEP sort -t u8 pipe; wait`;
    const { code, stdout } = await shell(script, path(''));
    expect({ code, stdout }).toEqual({ code: 0, stdout: Buffer.from([1, 2, 3]) });
  });

  it('sorts 100 MB by file and by pipe', async () => {
    const keys = randomKeys('u32', 25_000_000, SEED + 3) as Uint32Array;
    writeFileSync(path('in'), bufferOf(keys));
    // Independent of the package: the runtime's own sort.
    const expected = bufferOf(keys.sort());
    const byFile = await keysweep(['sort', '-t', 'u32', path('in'), '-o', path('out')]);
    expect(byFile).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path('out')).equals(expected)).toBe(true);
    const byPipe = await shell('cat in | $KEYSWEEP sort -t u32 | cat > piped', path(''));
    expect(byPipe).toMatchObject({ code: 0, stderr: '' });
    expect(readFileSync(path('piped')).equals(expected)).toBe(true);
  }, 120_000);

  it('keeps to the backend that was named, and says so with --report', async () => {
    const args = ['sort', '-t', 'u32', '--backend', 'builtin', '--report'];
    const { code, stdout, stderr } = await keysweep(args, new Uint8Array(4 * 2000));
    expect({ code, size: stdout.length }).toEqual({ code: 0, size: 8000 });
    expect(stderr).toMatch(/^sorted 2,000 u32 keys in .* with 'builtin'\n {2}why .*named it\n/);
    expect(stderr).toMatch(/\n {2}passes .*\n {2}threads {2}1\n$/);
  });

  it('fails when the backend that was named is not there', async () => {
    const args = ['sort', '-t', 'u32', '--backend', 'webgl2', '-o', path('out')];
    const { code, stderr } = await keysweep(args, new Uint8Array(8));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: backend 'webgl2' cannot serve this sort: .*\n$/);
    expect(existsSync(path('out'))).toBe(false);
  });

  const hasFloat16 = 'Float16Array' in globalThis;

  it('says what f16 needs where the runtime has no Float16Array', async ({ skip }) => {
    skip(hasFloat16, 'this runtime has Float16Array');
    const { code, stderr } = await keysweep(['sort', '-t', 'f16'], new Uint8Array(4));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^keysweep: f16 needs Float16Array, which this runtime .*\n$/);
  });

  it('sorts f16', async ({ skip }) => {
    skip(!hasFloat16, 'this runtime has no Float16Array');
    // 1, -1, 0.5 and -0 as half precision numbers.
    const input = new Uint16Array([0x3c00, 0xbc00, 0x3800, 0x8000]);
    const { stdout } = await keysweep(['sort', '-t', 'f16'], bufferOf(input));
    expect(stdout).toEqual(bufferOf(new Uint16Array([0xbc00, 0x8000, 0x3800, 0x3c00])));
  });

  it('refuses a big-endian machine', () => {
    expect(() => assertLittleEndian('BE')).toThrow('this machine is big-endian');
    expect(() => assertLittleEndian('LE')).not.toThrow();
  });
});

describe('inputs that cannot be sorted', () => {
  it('says how much is left over of a truncated input', async () => {
    writeFileSync(path('in'), new Uint8Array(1003));
    expect(await keysweep(['sort', '-t', 'f32', path('in')])).toMatchObject({
      code: 1,
      stderr: `keysweep: '${path('in')}' is truncated: its 1003 bytes are not a multiple of the 4 bytes of one f32 value (3 left over)\n`,
    });
    expect(await keysweep(['sort', '-t', 'i64'], new Uint8Array(9))).toMatchObject({
      code: 1,
      stderr:
        'keysweep: standard input is truncated: its 9 bytes are not a multiple of the 8 bytes of one i64 value (1 left over)\n',
    });
  });

  it('says that a file is missing, or a directory', async () => {
    expect(await keysweep(['sort', '-t', 'f32', path('absent')])).toMatchObject({
      code: 1,
      stderr: `keysweep: cannot read '${path('absent')}': no such file or directory (ENOENT)\n`,
    });
    expect(await keysweep(['sort', '-t', 'f32', path('')])).toMatchObject({
      code: 1,
      stderr: `keysweep: cannot read '${path('')}': it is a directory\n`,
    });
    expect(await shell('$KEYSWEEP sort -t f32 < .', path(''))).toMatchObject({
      code: 1,
      stderr: 'keysweep: cannot read standard input: it is a directory\n',
    });
  });

  it('says that a file may not be read', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read every file');
    writeFileSync(path('in'), '', { mode: 0o000 });
    expect(await keysweep(['sort', '-t', 'f32', path('in')])).toMatchObject({
      code: 1,
      stderr: `keysweep: cannot read '${path('in')}': permission denied (EACCES)\n`,
    });
  });

  it('leaves an existing output alone', async () => {
    writeFileSync(path('in'), new Uint8Array(7));
    writeFileSync(path('out'), 'before');
    const { code } = await keysweep(['sort', '-t', 'u16', path('in'), '-o', path('out')]);
    expect(code).toBe(1);
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  });
});
