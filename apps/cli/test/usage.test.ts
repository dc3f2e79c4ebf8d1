import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keysweep, scratch, shell } from './command.js';

const path = scratch();

describe('help and version', () => {
  it.each([['--help'], ['-h'], ['help'], ['sort', '--help'], ['doctor', '-h']])(
    'explains everything with %s %s',
    async (...args) => {
      const { code, stdout, stderr } = await keysweep(args.filter((arg) => arg !== undefined));
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const text = stdout.toString();
      for (const word of ['--type', '--column', '--argsort', '--report', '--backend', 'doctor']) {
        expect(text).toContain(word);
      }
      expect(text).toContain('raw and little-endian too');
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    },
  );

  it.each(['--version', '-V'])('says its version with %s', async (flag) => {
    const { version } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    const { code, stdout } = await keysweep([flag]);
    expect({ code, text: stdout.toString() }).toEqual({ code: 0, text: `keysweep ${version}\n` });
  });

  it('does not mind a reader that stops reading', async () => {
    const { stderr } = await shell('$KEYSWEEP --help | true; echo $PIPESTATUS >&2', path(''));
    expect(stderr).toMatch(
      /^(0|keysweep: cannot write standard output: broken pipe \(EPIPE\)\n1)\n$/,
    );
  });
});

describe('command lines that make no sense', () => {
  it.each([
    ['no command', [], 'no command given'],
    ['an unknown command', ['shuffle'], "unknown command 'shuffle'"],
    ['no type', ['sort', 'in'], '--type says what raw values are; it is one of u8, i8,'],
    ['an unknown type', ['sort', '-t', 'f80'], '--type is one of u8, .*f64, got .f80.'],
    ['an unknown flag', ['sort', '-t', 'u8', '--fast'], "Unknown option '--fast'"],
    ['a flag without its value', ['sort', '-t'], "Option '-t, --type <value>' argument missing"],
    [
      'a value too many',
      ['sort', '-t', 'u8', '--report=yes'],
      "'--report' does not take an argument",
    ],
    ['two inputs', ['sort', '-t', 'u8', 'a', 'b'], 'one INPUT at a time, got 2: a b'],
    ['an empty input name', ['sort', '-t', 'u8', ''], 'INPUT must name a file, got an empty name'],
    ['an empty output name', ['sort', '-t', 'u8', '-o', ''], '--output must name a file'],
    [
      'an unknown backend',
      ['sort', '-t', 'u8', '--backend', 'abacus'],
      "--backend is one of .*got 'abacus'",
    ],
    [
      'a column of raw values',
      ['sort', '-t', 'u8', '-c', 'x', 'in.bin'],
      '--column is for an INPUT called',
    ],
    [
      'a table without a column',
      ['sort', 'in.parquet'],
      "--column says which column of 'in.parquet'",
    ],
    ['two columns to sort', ['sort', '-c', 'a', '-c', 'b', 'in.arrow'], 'several --column'],
    ['a doctor with an input', ['doctor', 'in'], "Unexpected argument 'in'"],
  ])('%s', async (_, args, message) => {
    const { code, stdout, stderr } = await keysweep(args);
    expect({ code, written: stdout.length }).toEqual({ code: 2, written: 0 });
    expect(stderr).toMatch(new RegExp(`^keysweep: .*${message}.* \\(see keysweep --help\\)\\n$`));
  });
});
