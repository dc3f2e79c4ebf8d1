import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import type { ByteSink } from '@keysweep/files';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { workerOptions } from '../src/arguments/cluster.js';
import type { SortCommand } from '../src/arguments/command.js';
import { helpOf, usage } from '../src/arguments/help.js';
import { doctorOptions, genOptions, parseCommand } from '../src/arguments/parse.js';
import { runGen } from '../src/commands/gen.js';
import { assertLittleEndian, assertNoTerminal, runSort } from '../src/commands/sort.js';
import { Failure, failureOf, messageOf, UsageError } from '../src/failure.js';
import { assertFits } from '../src/job/memory.js';
import type { Progress } from '../src/text/progress.js';
import { isTooLarge } from '../src/too-large.js';
import { keysweep, scratch, shell } from './command.js';

const path = scratch();
const parsed = (line: string): SortCommand => parseCommand(line.split(' ')) as SortCommand;

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

describe('what all of the help says', () => {
  it('names each command, and has each example once, and nothing that is none', () => {
    for (const command of ['sort', 'check', 'gen', 'submit', 'worker', 'doctor', 'completion']) {
      expect(helpOf()).toContain(`\n  keysweep ${command} `.trimEnd());
      expect(usage()).toContain(`keysweep ${command}`);
    }
    expect(helpOf()).not.toContain('undefined');
    for (const command of ['sort', 'submit'] as const) {
      const [, examples = ''] = helpOf(command).split('\n\nExamples\n');
      expect(examples).toContain(`keysweep ${command} `);
      expect(helpOf().split(examples.trim().split('\n')[0] as string)).toHaveLength(2);
    }
    expect(helpOf('gen')).not.toContain('\nExamples');
    // The others' texts name options that others explain.
    const tables = { gen: genOptions, worker: workerOptions, doctor: doctorOptions };
    for (const [command, table] of Object.entries(tables)) {
      const explained = helpOf(command as 'sort')
        .split('\n')
        .filter((line) => /^ +-/.test(line))
        .join('\n');
      for (const name of Object.keys(table)) expect(explained, command).toContain(`--${name}`);
    }
  });
});

describe('a command line that is wrong', () => {
  const errorOf = (line: string): UsageError => {
    try {
      parseCommand(line.split(' '));
    } catch (error) {
      expect(error).toBeInstanceOf(UsageError);
      return error as UsageError;
    }
    throw new Error(`no error of '${line}'`);
  };

  it.each([
    ['submit -t u8 --local 1 -o c', /^submit needs an INPUT and an --output that are files$/],
    ['submit -t u8 --local 1 a', /^submit needs an INPUT and an --output/],
    ['submit -t u8 --local 1 a - -o c', /^submit needs an INPUT and an --output/],
    ['submit -t u8 --local 1 a -o -', /^submit needs an INPUT and an --output/],
    ['submit -t u8 --local 1 --connection redis://h a -o c', /exclude each other$/],
    ['submit --local 1 a.npy -o c', /^submit is for raw numbers and records; .*: sort 'a\.npy'$/],
    ['check a.npy -t u8', /^--type is for raw numbers; for others: keysweep check 'a\.npy'$/],
    ['sort a.bin --record 10 --key 0:2 --head 3 --memory 9M', /^--memory is for tables/],
    ['sort a -t u8 --argsort --memory 9M', /^--memory is for tables/],
    ['sort a -t u8 --check --memory 9M', /^--memory is for tables/],
    ['sort a.csv -c x --unique --check', /^--unique is for/],
    ['sort a.csv -c x --unique --resume', /^--resume is for whole files of raw numbers/],
    ['sort a.csv -c x --unique --tmp t', /^--tmp is for whole files of raw numbers/],
    ['sort a -t u8 --head 3 --unique', /^--unique is for rows of tables and for whole files/],
    ['sort a -t u8 -o s3://b/c --argsort', /s3:|address/],
  ])('%s', (line, message) => {
    expect(errorOf(line).message).toMatch(message);
  });

  it('is told of in our words, with the parser’s beside them', () => {
    for (const line of [
      'sort --nope',
      'sort -t',
      'sort --check=x a',
      'sort -x a',
      'sort -o -a b',
    ]) {
      const { message, cause } = errorOf(line);
      expect(cause, line).toBeInstanceOf(Error);
      expect(message.split('\n'), line).toHaveLength(1);
    }
  });
});

describe('a terminal', () => {
  /** As in a terminal for what is named, and piped for the other. */
  const inTerminal = (names: readonly ('stdin' | 'stdout' | 'stderr')[]): void => {
    for (const name of ['stdin', 'stdout', 'stderr'] as const) {
      const { isTTY } = process[name];
      process[name].isTTY = names.includes(name) as never;
      onTestFinished(() => {
        process[name].isTTY = isTTY as never;
      });
    }
  };

  it('gets no binary values, and is not read, unless that was asked for', () => {
    const refused = (line: string): string | undefined => {
      try {
        assertNoTerminal(parsed(`sort ${line}`));
        return undefined;
      } catch (error) {
        return /terminal$/.exec((error as Error).message) === null ? 'other' : 'terminal';
      }
    };
    inTerminal(['stdout']);
    expect(refused('a -t u8')).toBe('terminal');
    expect(refused('a.parquet -c x')).toBe('terminal');
    for (const line of [
      'a -t u8 -o b',
      'a -t u8 -o -',
      'a -t u8 --check',
      'a.csv -c x',
      '-t u8 -o b',
    ]) {
      expect(refused(line), line).toBeUndefined();
    }
    inTerminal(['stdin']);
    expect(refused('-t u8')).toBe('terminal');
    expect(refused('- -t u8')).toBe('terminal');
    expect(refused('a -t u8')).toBeUndefined();
    inTerminal([]);
    expect(refused('-t u8')).toBeUndefined();
  });

  it('is shown text without what it obeys; a pipe gets all, and progress is cleared', async () => {
    const written: string[] = [];
    const write = (stream: 'stdout' | 'stderr') =>
      vi.spyOn(process[stream], 'write').mockImplementation(((text: unknown, done?: () => void) => {
        written.push(`${stream}: ${Buffer.from(text as string)}`);
        done?.();
        return true;
      }) as never);
    let now = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    for (const spy of [write('stdout'), write('stderr'), clock])
      onTestFinished(() => spy.mockRestore());
    const performer = {
      async run(_: unknown, sink: ByteSink, progress: Progress) {
        progress.update({ doing: 'sorting', completed: 1, total: 2, unit: 'steps' });
        now += 2000;
        progress.update({ doing: 'sorting', completed: 1, total: 2, unit: 'steps' });
        await sink.write(new Uint8Array(Buffer.from('a\u001b[31mb\n')));
        return { report: undefined, phases: {}, misplaced: -1, lines: undefined };
      },
      end: async () => {},
    };
    const shown = async (line: string): Promise<string> => {
      written.length = 0;
      await runSort(parsed(`sort ${line}`), performer as never);
      return written.filter((text) => text.startsWith('stdout')).join('');
    };
    inTerminal(['stdout', 'stderr']);
    expect(await shown('a.csv -c x')).not.toContain('\u001b');
    // What was drawn is gone again.
    const drawn = written.filter((text) => text.startsWith('stderr'));
    expect(drawn.join('')).toContain('sorting');
    expect(drawn.at(-1)).not.toContain('sorting');
    expect(await shown('a.csv -c x -o -')).toContain('a\u001b[31mb');
    inTerminal([]);
    expect(await shown('a.csv -c x')).toContain('a\u001b[31mb');
  });

  it('gets no made records, which a file does', async () => {
    inTerminal(['stdout']);
    const gen = (line: string) => runGen(parseCommand(line.split(' ')) as never);
    await expect(gen('gen 3')).rejects.toThrow('standard output is a terminal');
    await gen(`gen 3 -o ${path('out')}`);
    expect(readFileSync(path('out'))).toHaveLength(300);
    const write = vi.spyOn(process.stdout, 'write').mockImplementation(((
      _: unknown,
      done: () => void,
    ) => {
      done();
      return true;
    }) as never);
    onTestFinished(() => write.mockRestore());
    await gen('gen 3 -o -');
    expect(write).toHaveBeenCalled();
  });
});

describe('errors', () => {
  it('are failures once, with their cause, in one line', () => {
    const failure = new Failure('first: why');
    expect(failureOf('second', failure)).toBe(failure);
    const cause = Object.assign(new Error('x'), { errno: -2 });
    const made = failureOf('cannot read', cause);
    expect(made).toMatchObject({
      message: 'cannot read: no such file or directory (ENOENT)',
      cause,
    });
    expect(failureOf('a', 'text').message).toBe('a: text');
    expect(messageOf(new Error(' a \n\n b\nc '))).toBe('a b c');
    expect(messageOf(new UsageError('a\nb'))).toBe('a\nb');
    // Their names of files may have newlines.
    for (const name of ['Failure', 'FileError', 'MemoryError', 'ExternalError']) {
      expect(messageOf(Object.assign(new Error('a\nb'), { name }))).toBe('a\nb');
    }
  });

  it('tell of memory that is too little, and of a byte order', () => {
    assertFits("'a'", 2 ** 40, undefined);
    assertFits("'a'", 2 ** 20, 2 ** 20);
    expect(() => assertFits("'a'", 2 ** 20 + 1, 2 ** 20)).toThrow(/--memory 2M allows it$/);
    assertLittleEndian('LE');
    expect(() => assertLittleEndian('BE')).toThrow(Failure);
  });
});

describe('what does not fit into memory', () => {
  it('is sorted by files: a quarter of what is allowed, and what was asked for so', () => {
    writeFileSync(path('a'), '');
    const large = (more: string, size: number, name = path('a')): boolean => {
      truncateSync(path('a'), size);
      return isTooLarge(parsed(`sort ${name} -t u8 -o b${more}`));
    };
    const MiB = 2 ** 20;
    expect([0, MiB, MiB + 1].map((size) => large(' --memory 4M', size))).toEqual([
      ...[false, false, true],
    ]);
    expect(large('', MiB)).toBe(false);
    // Streams of any length, only where somebody says how much there may be of them.
    expect([large('', 1, '-'), large(' --memory 4M', 1, '-')]).toEqual([false, true]);
    expect([large('', 1, '/dev/null'), large(' --memory 4M', 1, '/dev/null')]).toEqual([
      ...[false, true],
    ]);
    for (const more of [' --unique', ' --tmp s3://b/c', ' --processes 2']) {
      expect(large(more, 1), more).toBe(true);
    }
    expect(isTooLarge(parsed('sort s3://b/a -t u8 -o b'))).toBe(true);
    expect(isTooLarge(parsed(`sort ${path('a')} -t u8 --argsort -o b`))).toBe(false);
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
