import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseCommand } from '../src/arguments.js';
import { HELP } from '../src/commands/help.js';
import { inProcess, keysweep, scratch, shell } from './command.js';

const path = scratch();

describe('help and version', () => {
  it('are commands, with short and long flags', () => {
    const help = [['--help'], ['-h'], ['help'], ['sort', '--help'], ['doctor', '-h']];
    for (const argv of help) expect(parseCommand(argv), argv.join(' ')).toEqual({ name: 'help' });
    for (const flag of ['--version', '-V']) {
      expect(parseCommand([flag])).toEqual({ name: 'version' });
    }
  });

  it('explains every option, in lines of at most 80 columns', async () => {
    const { code, stdout, stderr } = await keysweep(['--help']);
    expect({ code, stderr, text: stdout.toString() }).toEqual({ code: 0, stderr: '', text: HELP });
    const words = ['--type', '--column', '--output', '--descending', '--argsort', '--backend'];
    for (const word of [...words, '--report', '--calibrate', '--json']) {
      expect(HELP).toContain(word);
    }
    expect(HELP).toContain('raw and little-endian too');
    expect(Math.max(...HELP.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    const { code, stdout } = await keysweep(['--version']);
    expect({ code, text: stdout.toString() }).toEqual({ code: 0, text: `keysweep ${version}\n` });
  });

  it('ends quietly, or with one line, when its reader stops reading', async () => {
    const { stderr } = await shell('$KEYSWEEP --help | true; echo $PIPESTATUS >&2', path(''));
    expect(stderr).toMatch(
      /^(0|keysweep: cannot write standard output: broken pipe \(EPIPE\)\n1)\n$/,
    );
  });
});

describe('a command line that is not valid', () => {
  it.each([
    ['no command', [], 'no command given'],
    ['an unknown command', ['shuffle'], "unknown command 'shuffle'"],
    ['no type', ['sort', 'in'], 'raw values need --type, one of u8, i8,'],
    ['an unknown type', ['sort', '-t', 'f80'], '--type must be one of u8, .*f64, got .f80.'],
    ['an unknown flag', ['sort', '-t', 'u8', '--fast'], '--fast'],
    ['a flag without its value', ['sort', '-t'], '--type'],
    ['a value too many', ['sort', '-t', 'u8', '--report=yes'], '--report'],
    ['two inputs', ['sort', '-t', 'u8', 'a', 'b'], 'only one INPUT is allowed, got 2: a b'],
    ['an empty input name', ['sort', '-t', 'u8', ''], 'INPUT must name a file, got an empty name'],
    ['an empty output name', ['sort', '-t', 'u8', '-o', ''], '--output must name a file'],
    [
      'an unknown backend',
      ['sort', '-t', 'u8', '--backend', 'abacus'],
      "--backend must be one of .*got 'abacus'",
    ],
    [
      'a column of raw values',
      ['sort', '-t', 'u8', '-c', 'x', 'in.bin'],
      '--column needs an INPUT that ends in',
    ],
    [
      'a table without a column',
      ['sort', 'in.parquet'],
      "--column must name the column of 'in.parquet'",
    ],
    [
      'values of two columns',
      ['sort', '--values-only', '-c', 'a', '-c', 'b', 'in.arrow'],
      '--values-only takes one --column',
    ],
    ['a doctor with an input', ['doctor', 'in'], "'in'"],
  ])('is refused with exit code 2: %s', async (_, args, message) => {
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^keysweep: .*${message}.* \\(see keysweep --help\\)\\n$`));
  });
});
