/** The reader of an output may close it when it has had enough, as `head` does. */

import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { Random, sample } from '@keysweep/conformance/data';
import { tableFromArrays, tableToIPC } from 'apache-arrow';
import { beforeEach, describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { type Ending, ending, scratch, shell } from './command.js';
import { SEED } from './keys.js';

drawTests(1 / 2);

const path = scratch();

/** What GNU's sort ends with there: 128 and the number of SIGPIPE. */
const SIGPIPE = 141;

/** Bytes of the inputs: far more than a pipe holds. */
const BYTES = 4_000_000;

/** `command | reader`: the exit code of the command, and all that is said. */
async function piped(command: string, reader: string): Promise<Pick<Ending, 'code' | 'stderr'>> {
  const script = `$KEYSWEEP ${command} | ${reader} > first; exit $PIPESTATUS`;
  const { code, stderr } = await shell(script, path(''));
  return { code, stderr };
}

describe('a reader that has had enough', () => {
  const numbers = new Random(SEED).fill(new Uint32Array(BYTES / 4));
  const files = {
    in: numbers,
    'in.arrow': tableToIPC(tableFromArrays({ numbers }), 'file'),
    sorted: new Uint8Array(BYTES),
    'in.csv': `n\n${numbers.subarray(0, BYTES / 10).join('\n')}\n`,
  };
  beforeEach(() => {
    for (const [name, content] of Object.entries(files)) writeFileSync(path(name), content);
  });

  const sorts = [
    ['a sort of numbers', 'sort -t u32 in'],
    ['one of standard input', 'sort -t u32 < in'],
    ['one that writes .npy', 'sort -t u32 in --format npy'],
    ['an order', 'sort -t u32 --argsort in'],
    ['the first numbers', 'sort -t u32 --head 900000 in'],
    ['a sort by files', 'sort -t u32 --memory 1M in'],
    ['a sort by files of standard input', 'sort -t u32 --memory 1M < in'],
    ['a sort of records', 'sort --record 100 --key 0:10 in'],
    ['a sort of rows', 'sort -c numbers --format arrow in.arrow'],
    ['a sort of CSV', 'sort -c n in.csv'],
    ['a sort of CSV of standard input', 'sort -c n --format csv < in.csv'],
    ['an output that is named', 'sort -t u32 in -o /dev/stdout'],
    ['gen', 'gen 100000'],
  ] as const;

  it.each(sample(sorts, 4, SEED))('ends %s in silence, half way', async (_, command) => {
    expect(await piped(command, 'head -c 10')).toEqual({ code: SIGPIPE, stderr: '' });
    const left = readdirSync(path('')).filter((name) => name.endsWith('.tmp'));
    expect(left).toEqual([]);
  });

  const others = [
    ['help', '--help'],
    ['the version', '--version'],
    ['doctor', 'doctor'],
    ['doctor, as JSON', 'doctor --json'],
    ['check', 'check -t u8 --sum sorted'],
  ] as const;

  it.each(sample(others, 2, SEED))(
    'ends %s in silence, before its first line',
    async (_, command) => {
      // It is gone before the command has started; the output is too short to fill a pipe.
      const { code, stderr } = await piped(command, 'true');
      expect({ code, stderr }).toEqual({ code: SIGPIPE, stderr: '' });
    },
  );

  it('ends a sort to a named pipe in silence', async () => {
    const script = 'mkfifo pipe; head -c 1 pipe > first & $KEYSWEEP sort -t u32 in -o pipe';
    const { code, stderr } = await shell(script, path(''));
    expect({ code, stderr }).toEqual({ code: SIGPIPE, stderr: '' });
  });

  it('is no excuse for what was wrong before', async () => {
    expect(await piped('sort -t u32 absent', 'true')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^keysweep: cannot read 'absent': .*\n$/),
    });
  });
});

it('pieces that go to a pipe leave no listener on standard output', async () => {
  const output = new URL('../dist/io/output.js', import.meta.url);
  const source = `
    import { print } from '${output}';
    const listeners = () => process.stdout.listenerCount('error');
    const before = listeners();
    for (let piece = 0; piece < 12; piece++) await print('piece ' + piece);
    console.error(listeners() - before);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source]);
  const { code, stdout, stderr } = await ending(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '0\n' });
  expect(stdout.toString()).toContain('piece 11');
});
