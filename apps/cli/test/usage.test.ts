import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpOf } from '../src/arguments/help.js';
import { parseCommand } from '../src/arguments/parse.js';

import { inProcess, keysweep, shell } from './command.js';

describe('help and version', () => {
  it('are commands, with short and long flags', () => {
    for (const flag of ['--help', '-h', 'help']) {
      expect(parseCommand([flag]), flag).toEqual({ name: 'help' });
    }
    for (const flag of ['--version', '-V']) {
      expect(parseCommand([flag])).toEqual({ name: 'version' });
    }
  });

  it('explains every option, in lines of at most 80 columns', async () => {
    const { code, stdout, stderr } = await keysweep(['--help']);
    expect({ code, stderr, text: stdout.toString() }).toEqual({
      code: 0,
      stderr: '',
      text: helpOf(),
    });
    const words = [
      '--type',
      '--column',
      '--output',
      '--descending',
      '--argsort',
      '--backend',
      '--record',
      '--key',
      '--reverse',
      '--head',
      '--check',
      '--values-only',
      '--format',
      '--threads',
    ];
    for (const word of [...words, '--report', '--calibrate', '--json']) {
      expect(helpOf()).toContain(word);
    }
    expect(helpOf()).toContain('raw and little-endian too');
    expect(
      Math.max(
        ...helpOf()
          .split('\n')
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(80);
  });

  const commands = ['sort', 'check', 'gen', 'submit', 'worker', 'doctor'] as const;
  it.each(commands)('explains %s alone, with what all of the help says of it', (command) => {
    for (const args of [
      [command, '--help'],
      [command, '-h'],
      ['help', command],
    ]) {
      expect(parseCommand(args)).toEqual({ name: 'help', of: command });
    }
    const own = helpOf(command);
    const others = commands.filter((other) => other !== command);
    expect(own).toContain(`\n  keysweep ${command} `);
    for (const other of others) expect(own).not.toContain(`\n  keysweep ${other} `);
    const whole = helpOf().split('\n');
    for (const line of own.split('\n')) expect(whole).toContain(line);
  });

  it('prints its version', async () => {
    const { version } = JSON.parse(
      readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
    );
    const { code, stdout } = await keysweep(['--version']);
    expect({ code, text: stdout.toString() }).toEqual({ code: 0, text: `keysweep ${version}\n` });
  });
});

describe('a column', () => {
  it('has an order and a place of nulls behind its name, each once, from the end', () => {
    const spec = (column: string, ...more: string[]) => {
      const command = parseCommand(['sort', '-c', column, 'in.arrow', ...more]);
      if (command.name !== 'sort' || !('columns' in command.input)) throw new Error('no columns');
      return command.input.columns[0];
    };
    const [ascending, descending] = ['ascending', 'descending'] as const;
    expect(spec('a')).toEqual({ name: 'a', order: ascending, nulls: 'last' });
    expect(spec('a', '-r')).toEqual({ name: 'a', order: descending, nulls: 'last' });
    expect(spec('a:asc', '-r')).toEqual({ name: 'a', order: ascending, nulls: 'last' });
    const both = { name: 'a', order: descending, nulls: 'first' };
    expect(spec('a:desc:nulls-first')).toEqual(both);
    expect(spec('a:nulls-first:desc')).toEqual(both);
    expect(spec('x:desc:asc')).toEqual({ name: 'x:desc', order: ascending, nulls: 'last' });
    expect(spec('a:b')).toEqual({ name: 'a:b', order: ascending, nulls: 'last' });
  });
});

describe('the command alone', () => {
  it('prints how it is used on standard error, with exit code 2', async () => {
    const { code, stdout, stderr } = await keysweep([]);
    expect({ code, stdout: String(stdout) }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('Usage\n  keysweep sort -c COLUMN');
    expect(stderr).toContain('keysweep help');
    expect(Math.max(...stderr.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });
});

describe('completion', () => {
  it('is a script by which bash completes commands, options and values', async () => {
    const words = async (...typed: string[]): Promise<string[]> => {
      const script =
        'source <($KEYSWEEP completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); ' +
        "complete -p keysweep > /dev/null && _keysweep; IFS=$'\\n'; echo \"$" +
        '{COMPREPLY[*]}"';
      const given = typed.map((word) => `'${word}'`).join(' ');
      const { stdout, stderr } = await shell(`set -- keysweep ${given}; ${script}`, '/');
      expect(stderr).toBe('');
      return String(stdout).trim().split('\n');
    };
    expect(await words('so')).toEqual(['sort']);
    expect(await words('')).toEqual(expect.arrayContaining(['check', 'completion', 'doctor']));
    expect(await words('sort', '--no')).toEqual(['--no-header']);
    expect(await words('gen', '--')).toEqual(['--help', '--seed', '--output']);
    expect(await words('sort', '--type', 'f')).toEqual(['f16', 'f32', 'f64']);
    expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    // Without a reply, bash goes on to names of files.
    expect(await words('sort', 'x')).toEqual(['']);
  });

  it.each(['zsh', 'fish'])('is a script for %s with every option', async (name) => {
    const { code, stdout } = await keysweep(['completion', name]);
    expect(code).toBe(0);
    for (const word of ['submit', 'no-header', 'calibrate', 'concurrency', 'parquet', 'webgl2']) {
      expect(String(stdout)).toContain(word);
    }
  });
});

describe('a report', () => {
  it('is a line of JSON if asked', async () => {
    const args = ['sort', '-t', 'u8', '--report=json'];
    const { code, stdout, stderr } = await keysweep(args, Uint8Array.of(3, 1, 2));
    expect({ code, written: [...stdout] }).toEqual({ code: 0, written: [1, 2, 3] });
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(JSON.parse(stderr)).toMatchObject({
      length: 3,
      keyTypes: ['u8'],
      phases: {
        reading: expect.any(Number),
        ordering: expect.any(Number),
        writing: expect.any(Number),
      },
    });
  });
});

describe('a command line that is not valid', () => {
  it.each([
    ['an unknown command', ['shuffle'], "unknown command 'shuffle'"],
    ['no type', ['sort', 'in'], 'raw values need --type, one of u8, i8,'],
    ['nothing to sort', ['sort'], 'name an INPUT, as in keysweep sort in.csv -c NAME; raw values'],
    ['help for an unknown command', ['help', 'shuffle'], "unknown command 'shuffle'"],
    ['an unknown type', ['sort', '-t', 'f80'], '--type must be one of u8, .*f64, got .f80.'],
    ['an unknown flag', ['sort', '-t', 'u8', '--fast'], '--fast'],
    ['a flag without its value', ['sort', '-t'], '--type needs a value'],
    ['a flag with a value', ['sort', '-t', 'u8', '--unique=yes'], '--unique takes no value'],
    ['a check of a table', ['check', 'in.csv'], "--column must name the column of 'in.csv'"],
    ['a check of no type', ['check', 'in.bin'], 'raw values need --type, one of u8, i8,'],
    [
      'an unknown style',
      ['sort', '-t', 'u8', '--report=yes'],
      '--report must be one of text, json',
    ],
    ['a key of GNU sort', ['sort', '-k', '2,2n', 'in.csv'], 'there is no -k here: -c NAME says'],
    ['several of its flags', ['sort', '-nr', 'in.csv'], 'there is no -n here: columns are sorted'],
    ['its separator', ['sort', '-t,', 'in.csv'], "--delimiter ',' says what is between fields"],
    ['text without a column', ['sort', 'in.csv'], "--column must name the column of 'in.csv'"],
    ['a type of text', ['sort', '-t', 'f32', '-c', 'a', 'in.csv'], "'in.csv' is text, and --type"],
    ['a long delimiter', ['sort', '-c', 'a', '--delimiter', '::', 'in.csv'], "ASCII .* got '::'"],
    ['a delimiter of Parquet', ['sort', '-c', 'a', '--delimiter', ';', 'in.pq'], 'need lines of'],
    ['CSV to TSV', ['sort', '-c', 'a', 'in.csv', '-o', 'o.tsv'], 'csv cannot become tsv'],
    [
      'CSV to NumPy',
      ['sort', '-c', 'a', 'in.csv', '-o', 'o.npy'],
      'or as csv, not to the format npy',
    ],
    ['Parquet to CSV', ['sort', '-c', 'a', 'in.pq', '-o', 'o.csv'], 'files, not to the format csv'],
    ['a sum of a table', ['check', '--sum', '-c', 'a', 'in.csv'], '--sum is for raw numbers'],
    ['a sum of NumPy', ['check', '--sum', 'in.npy'], '--sum is for raw numbers and records'],
    ['a type of NumPy', ['check', '-t', 'i32', 'in.npy'], "for others: keysweep check 'in.npy'"],
    ['no shell', ['completion'], 'completion needs the name of one shell: bash, zsh, fish'],
    ['an unknown shell', ['completion', 'csh'], "must be one of bash, zsh, fish, got 'csh'"],
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
    ['text', ['sort', '-t', 'f32', 'in.CSV'], "'in.CSV' is text, and --type is for bare numbers"],
    ['other text', ['sort', '-t', 'f32', 'in.txt'], "'in.txt' is text, .* --format csv or tsv"],
    ['a table that is not read', ['sort', '-t', 'u8', 'in.xlsx'], '.xlsx files cannot be read: '],
    [
      'rows to raw bytes',
      ['sort', '-c', 'a', 'in.parquet', '-o', 'out.i64'],
      "whole rows are written to .parquet or .arrow files, not to 'out.i64'; .* --values-only",
    ],
    [
      'rows as raw bytes',
      ['sort', '-c', 'a', 'in.parquet', '--format', 'raw'],
      'not to the format raw',
    ],
    [
      'values to a table',
      ['sort', '-t', 'u8', 'in', '-o', 'out.parquet'],
      'values cannot be written as parquet, only whole rows of a table can',
    ],
    [
      'raw values to the name of a table',
      ['sort', '-t', 'u8', 'in', '-o', 'out.feather', '--format', 'raw'],
      "--format says raw, but the name 'out.feather' says arrow",
    ],
    [
      'raw values to text',
      ['sort', '-t', 'u8', 'in', '-o', 'o.csv'],
      'values cannot be written as csv',
    ],
    ['an order to a table', ['sort', '--argsort', '-c', 'a', 'a.pq', '-o', 'b.pq'], 'an order can'],
    [
      'Arrow to the name of Parquet',
      ['sort', '-c', 'a', 'in.arrow', '-o', 'o.parquet', '--format', 'arrow'],
      "--format says arrow, but the name 'o.parquet' says parquet",
    ],
    ['records as NumPy', ['sort', '--record', '4', 'in', '-o', 'o.npy'], 'records of bytes cannot'],
    ['a key without records', ['sort', '-t', 'u8', '--key', '0:1'], '--key needs --record'],
    ['a key beyond the record', ['sort', '--record', '9', '--key', '8:2'], 'within the 9 bytes'],
    ['a key that is none', ['sort', '--record', '9', '--key', '1'], '--key must be FIRST:BYTES'],
    ['records of a type', ['sort', '--record', '4', '-t', 'u8'], '--record sorts bytes'],
    ['records with columns', ['sort', '--record', '4', '-c', 'a'], 'and no --column'],
    ['records of no bytes', ['sort', '--record', '0'], '--record must be a whole number from 1'],
    ['a head below 0', ['sort', '-t', 'u8', '--head', '-1'], 'is written behind =, as in'],
    ['a head that is no number', ['sort', '-t', 'u8', '--head', '1e3'], "--head .* got '1e3'"],
    ['too many threads', ['sort', '-t', 'u8', '--threads', '257'], 'from 1 to 256'],
    [
      'threads of a GPU',
      ['sort', '-t', 'u8', '--threads', '2', '--backend', 'webgpu'],
      '--threads are those of the backend cpu',
    ],
    ['a check that writes', ['sort', '-t', 'u8', '--check', '-o', 'out'], '--check writes nothing'],
    ['two goals', ['sort', '-t', 'u8', '--check', '--argsort'], 'exclude each other'],
    ['values only of values', ['sort', '-t', 'u8', '--values-only'], '--values-only is for tables'],
    ['a column of no name', ['sort', '-c', ':desc', 'in.arrow'], '--column must name a column'],
    ['an unknown format', ['sort', '-t', 'u8', '--format', 'orc'], '--format must be one of raw,'],
    ['a doctor with an input', ['doctor', 'in'], "'in'"],
  ])('is refused with exit code 2: %s', async (_, args, message) => {
    const { code, stderr } = await inProcess(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`^keysweep: .*${message}.* \\(see keysweep --help\\)\\n$`));
  });
});
