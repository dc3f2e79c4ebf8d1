import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { helpOf } from '../src/arguments/help.js';
import { parseCommand } from '../src/arguments/parse.js';

import { keysweep, shell } from './command.js';

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
  it('has an order and a place of nulls after its name, each once, from the end', () => {
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
    expect(await words('gen', '-')).toEqual(['--help', '-h', '--seed', '--output', '-o']);
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
