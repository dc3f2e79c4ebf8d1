import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Random, runSeed } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import type { SortFileOptions } from '../dist/index.js';
import { ExternalError, sortFile } from '../dist/index.js';
import { checkSort } from '../dist/open/check.js';
import { sortStored } from '../dist/sort-file.js';
import { localStorage, type Storage } from '../dist/storage.js';
import { scratch } from './scratch.js';

const SEED = runSeed();
const { path, names, write, numbersFile, sort, sorter } = scratch();

const MEMORY = 200_000;
const OPTIONS = { type: 'u32', memory: MEMORY } as const;

describe('arguments', () => {
  const record = { bytes: 8 };
  it.each<[string, unknown, unknown, unknown, RegExp]>([
    ['no options', 'a', 'b', undefined, /^options must be an object, got undefined/],
    ['neither type nor record', 'a', 'b', {}, /^give either type/],
    ['both', 'a', 'b', { type: 'u8', record }, /^give either type/],
    ['an unknown option', 'a', 'b', { type: 'u8', memroy: 1e9 }, /no 'memroy'; it takes type/],
    ['an unknown type', 'a', 'b', { type: 'u24' }, /^type must be one of u8, .*got 'u24'/],
    ['memory that is too little', 'a', 'b', { type: 'u8', memory: 512 }, /^memory must be.*65536/],
    ['a wrong order', 'a', 'b', { type: 'u8', order: 'up' }, /^order must be 'ascending'/],
    [
      'an address with a wrong escape',
      new URL('s3://bucket/100%'),
      'b',
      { type: 'u8' },
      /^input has an escape that is no character: 's3:\/\/bucket\/100%'/,
    ],
    ['an input that is none', 7, 'b', { type: 'u8' }, /^input must be a path or a URL, got 7/],
    ['no inputs', [], 'b', { type: 'u8' }, /^input must name at least one/],
    ['another address', new URL('http://a'), 'b', { type: 'u8' }, /file:, got 'http:/],
    ['no output', 'a', '', { type: 'u8' }, /^output must be a path/],
    ['a record without size', 'a', 'b', { record: {} }, /^record.bytes must be a number/],
    ['no keys', 'a', 'b', { record: { ...record, keys: [] } }, /^record.keys must be a list/],
    [
      'a key beyond the record',
      'a',
      'b',
      {
        record: {
          ...record,
          keys: [
            { at: 0, bytes: 1 },
            { at: 4, type: 'f64' },
          ],
        },
      },
      /^record.keys\[1\] must lie within the 8 bytes of a record, it ends at byte 12/,
    ],
    [
      'a key of both kinds',
      'a',
      'b',
      { record: { ...record, keys: [{ at: 0, bytes: 1, type: 'u8' }] } },
      /^record.keys\[0\] must have either bytes or type/,
    ],
    ['a sorter that is none', 'a', 'b', { type: 'u8', sorter: {} }, /^sorter must be what/],
    ['a signal that is none', 'a', 'b', { type: 'u8', signal: 1 }, /^signal must be/],
    ['resume to a sink', 'a', { write() {} }, { type: 'u8', resume: true }, /^resume needs paths/],
  ])('%s is an error that names it', async (_, input, output, options, message) => {
    const call = sortFile(input as string, output as string, options as SortFileOptions);
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.not.toBeInstanceOf(ExternalError);
  });
});

describe('a file that cannot be sorted leaves the output as it was, and nothing else', () => {
  const fails = async (call: Promise<unknown>, message: string): Promise<void> => {
    await expect(call).rejects.toThrow(new ExternalError(message));
    expect(readFileSync(path('out'), 'utf8')).toBe('before');
  };

  it('for an input that is missing, truncated, a folder or a pipe', async () => {
    writeFileSync(path('out'), 'before');
    mkdirSync(path('folder'));
    write('short', new Uint8Array(4_001));
    const reason = 'no such file or directory (ENOENT)';
    await fails(
      sort(path('absent'), path('out'), OPTIONS),
      `cannot read '${path('absent')}': ${reason}`,
    );
    await fails(
      sort([path('short')], path('out'), OPTIONS),
      `'${path('short')}' is truncated: its 4001 bytes are not a multiple of the 4 bytes of one ` +
        'record (1 left over)',
    );
    await fails(
      sort(path('folder'), path('out'), OPTIONS),
      `cannot read '${path('folder')}': it is a directory`,
    );
    spawnSync('mkfifo', [path('pipe')]);
    // Nobody writes to it, nor ever will.
    await fails(
      sort(path('pipe'), path('out'), OPTIONS),
      `cannot read '${path('pipe')}': it is no regular file; give it as a stream`,
    );
    if (process.platform === 'linux') {
      // The system makes its bytes when they are read, and says that there are none.
      await fails(
        sortFile('/proc/self/status', path('out'), { ...OPTIONS, type: 'u8' }),
        "cannot read '/proc/self/status': the system does not tell its size; give it as a stream",
      );
    }
    expect(names()).toEqual(['folder', 'out', 'pipe', 'short']);
  });

  it('for an input that is shortened while it is read', async () => {
    writeFileSync(path('out'), 'before');
    const { input } = numbersFile('in');
    const onProgress = (): void => truncateSync(input, 1000);
    await fails(
      sort(input, path('out'), { ...OPTIONS, onProgress }),
      `cannot read '${input}': it has fewer than its 400000 bytes; ` +
        'was it shortened while it was read?',
    );
    expect(names()).toEqual(['in', 'out']);
  });

  it('for a stream that is truncated or fails', async () => {
    writeFileSync(path('out'), 'before');
    async function* stream(size: number): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(size);
    }
    for (const size of [9, MEMORY + 1]) {
      await fails(
        sort(stream(size), path('out'), OPTIONS),
        `the input stream is truncated: its ${size} bytes are not a multiple of the 4 bytes of ` +
          'one record (1 left over)',
      );
    }
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(MEMORY);
      throw new Error('unplugged');
    }
    await expect(sort(failing(), path('out'), OPTIONS)).rejects.toThrow('unplugged');
    expect(names()).toEqual(['out']);
  });

  it('for an output that has other links, is a folder, or is in none', async () => {
    const { input } = numbersFile('in');
    writeFileSync(path('out'), 'before');
    linkSync(path('out'), path('other'));
    await expect(sort(input, path('out'), OPTIONS)).rejects.toThrow(/out': it has 2 hard links/);
    await expect(sort(input, path(''), OPTIONS)).rejects.toThrow(/it is a directory$/);
    await expect(sort(input, path('absent/out'), OPTIONS)).rejects.toThrow(/ENOENT/);
    expect(names()).toEqual(['in', 'other', 'out']);
  });

  it('for a folder of temporary files that is a file, or is not there', async () => {
    const { input } = numbersFile('in');
    write('file', Uint8Array.of(1));
    for (const [tmp, code] of [
      ['file', 'ENOTDIR'],
      ['absent', 'ENOENT'],
    ] as const) {
      const call = sort(input, path('out'), { ...OPTIONS, tmp: path(tmp) });
      await expect(call).rejects.toThrow(
        new RegExp(`^cannot make the folder '.*/${tmp}/.*${code}`),
      );
    }
    expect(names()).toEqual(['file', 'in']);
  });
});

it('writes through a symbolic link', async () => {
  const { input, sorted } = numbersFile('in');
  mkdirSync(path('there'));
  symlinkSync('there/out', path('link'));
  await sort(input, path('link'), OPTIONS);
  expect(readFileSync(path('there/out')).equals(sorted)).toBe(true);
});

describe('an abort', () => {
  it.each(['sample', 'partition', 'sort'] as const)(
    'while it is at %s leaves nothing, and is heard before the next step',
    async (at) => {
      const { input } = numbersFile('in');
      writeFileSync(path('out'), 'before');
      const controller = new AbortController();
      const reason = new Error('enough');
      let heardLate = 0;
      const call = sort(input, path('out'), {
        ...OPTIONS,
        signal: controller.signal,
        onProgress: ({ phase }) => {
          if (controller.signal.aborted) heardLate++;
          if (phase === at) controller.abort(reason);
        },
      });
      await expect(call).rejects.toBe(reason);
      expect(heardLate).toBe(0);
      expect(names()).toEqual(['in', 'out']);
      expect(readFileSync(path('out'), 'utf8')).toBe('before');
    },
  );

  it('ends a stream that sends nothing more', async () => {
    async function* silent(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(2 * MEMORY);
      await new Promise(() => {});
    }
    const controller = new AbortController();
    const onProgress = (): void => void setTimeout(() => controller.abort(), 5);
    const call = sort(silent(), path('out'), { ...OPTIONS, signal: controller.signal, onProgress });
    await expect(call).rejects.toHaveProperty('name', 'AbortError');
    expect(names()).toEqual([]);
  });

  it('before the call reads nothing; an error of a callback is as good as one', async () => {
    const signal = AbortSignal.abort();
    await expect(sort(path('absent'), path('out'), { ...OPTIONS, signal })).rejects.toThrow(
      /abort/,
    );
    const { input } = numbersFile('in');
    const onProgress = (): void => {
      throw new RangeError('mine');
    };
    await expect(sort(input, path('out'), { ...OPTIONS, onProgress })).rejects.toThrow('mine');
    expect(names()).toEqual(['in']);
  });
});

describe('a disk that fills', () => {
  /** This machine's files, whose writes fail once `bytes` are written to names like `where`. */
  function filling(where: RegExp, bytes: number): Storage {
    let left = bytes;
    return {
      ...localStorage,
      async write(name, from) {
        const stream = await localStorage.write(name, from);
        return {
          ...stream,
          async write(some) {
            if (!where.test(name)) return stream.write(some);
            left -= some.length;
            if (left >= 0) return stream.write(some);
            throw new ExternalError(`cannot write '${name}': no space left on device (ENOSPC)`);
          },
        };
      },
    };
  }

  const record = { bytes: 8, keys: [{ at: 0, type: 'u32' }] } as const;
  it.each([
    ['the parts', /\/cached\//, OPTIONS],
    ['the output', /\.tmp$/, OPTIONS],
    ['records of the output', /\.tmp$/, { record, memory: MEMORY }],
  ])('while %s are written fails in one line, and leaves nothing', async (_, where, how) => {
    const { input } = numbersFile('in');
    // The last piece may be all that has no room.
    for (const bytes of [0, 100_000, 399_999]) {
      const options = { ...how, sorter: sorter() };
      const plan = checkSort(input, path('out'), options);
      await expect(sortStored(filling(where, bytes), plan, options)).rejects.toThrow(
        /^cannot write '.*': no space left on device \(ENOSPC\)$/,
      );
      expect(names()).toEqual(['in']);
    }
  });

  it('is found beforehand, if the system says what is free', async () => {
    const { input } = numbersFile('in');
    const options = { ...OPTIONS, sorter: sorter() };
    const plan = checkSort(input, path('out'), options);
    const storage = { ...localStorage, space: async () => ({ free: 400_000, device: 1 }) };
    await expect(sortStored(storage, plan, options)).rejects.toThrow(
      /^not enough space in '.*': the sort needs \d+ bytes there, and 400000 are free; make room/,
    );
    // What fits into memory takes its own size, and no parts.
    const small = write('small', new Uint32Array(1000));
    await sortStored(storage, checkSort(small, path('out'), options), options);
    expect(names()).toEqual(['in', 'out', 'small']);
  });

  it('is told by the system itself', async ({ skip }) => {
    mkdirSync(path('small'));
    const mount = ['-t', 'tmpfs', '-o', 'size=500k', 'tmpfs', path('small')];
    const mounted = spawnSync('mount', mount);
    skip(mounted.status !== 0, `no file system can be mounted here: ${mounted.stderr}`);
    try {
      const { input } = numbersFile('in');
      const options = { ...OPTIONS, sorter: sorter() };
      const plan = checkSort(input, path('small/out'), options);
      const blind = { ...localStorage, space: async () => undefined };
      writeFileSync(path('small/other'), new Uint8Array(200_000));
      await expect(sortStored(blind, plan, options)).rejects.toThrow(
        /^cannot write '.*': no space left on device \(ENOSPC\)$/,
      );
      await expect(sortFile(input, path('small/out'), options)).rejects.toThrow(
        /^not enough space/,
      );
      expect(names()).toEqual(['in', 'small']);
      const { readdirSync } = await import('node:fs');
      expect(readdirSync(path('small'))).toEqual(['other']);
    } finally {
      spawnSync('umount', [path('small')]);
    }
  });
});

it('keeps within its memory, but for the memory of the process itself', () => {
  const bytes = 96e6;
  const memory = 8e6;
  write('in', new Random(SEED).fill(new Uint32Array(bytes / 4)));
  const { href } = new URL('../dist/index.js', import.meta.url);
  const script = `import { sortFile } from '${href}';
    await sortFile('in', 'out', { type: 'u32', memory: ${memory} });
    console.log(process.resourceUsage().maxRSS * 1024);`;
  writeFileSync(path('sort.mjs'), script);
  const { stdout, stderr } = spawnSync(process.execPath, ['sort.mjs'], { cwd: path('') });
  expect(`${stderr}`).toBe('');
  expect(Number(stdout)).toBeLessThan(memory + 200e6);
});

it('removes a folder that others remove at the same time', async () => {
  const folder = path('shared');
  for (const inner of ['a', 'b']) {
    mkdirSync(join(folder, inner), { recursive: true });
    for (let i = 0; i < 100; i++) writeFileSync(join(folder, inner, `${i}`), '');
  }
  await Promise.all(Array.from({ length: 4 }, () => localStorage.remove(folder)));
  expect(existsSync(folder)).toBe(false);
});
