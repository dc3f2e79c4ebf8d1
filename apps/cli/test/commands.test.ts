/** What commands hand to the packages that do the work, which are replaced here. */

import { writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { runWorker, submitSort } from '@keysweep/cluster';
import { KEY_TYPES } from '@keysweep/core';
import { processSorter, sortFile } from '@keysweep/external';
import type { Sorter } from 'keysweep';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { parseCommand } from '../src/arguments/parse.js';
import { completionOf } from '../src/commands/completion.js';
import { runSortFile } from '../src/commands/sort-file.js';
import { runSubmit } from '../src/commands/submit.js';
import { runWorkerCommand } from '../src/commands/worker.js';
import { haveAddress } from '../src/io/addresses.js';
import { performerOf } from '../src/job/job.js';
import { sorterOf } from '../src/job/sorter.js';
import { onlyGiven } from '../src/only-given.js';
import { scratch } from './command.js';

const children: { readonly command: string; readonly args: readonly string[] }[] = [];

vi.mock('@keysweep/cluster', async (original) => ({
  ...(await original<object>()),
  submitSort: vi.fn(),
  runWorker: vi.fn(),
  startLocalStore: vi.fn(async () => ({ connection: 'redis://local', stop: async () => {} })),
}));
vi.mock('@keysweep/external', async (original) => ({
  ...(await original<object>()),
  sortFile: vi.fn(),
  processSorter: vi.fn(async () => ({ close: vi.fn() })),
  aloneWithGpu: vi.fn(async (gpu: number, program: readonly string[]) =>
    gpu === 0 ? program : ['env', `GPU=${gpu}`, ...program],
  ),
}));
vi.mock('node:child_process', async (original) => ({
  ...(await original<object>()),
  fork: vi.fn((command: string, args: readonly string[], options: object) => {
    children.push({ command, args, ...options });
    return { once() {}, connected: false, exitCode: 0, signalCode: null };
  }),
  spawn: vi.fn((command: string, args: readonly string[], options: object) => {
    children.push({ command, args, ...options });
    return Object.assign(new EventTarget(), {
      kill() {},
      once: (_: string, heard: (code: number, signal: null) => void) => heard(0, null),
    });
  }),
}));
vi.mock('node:events', async (original) => ({
  ...(await original<object>()),
  once: vi.fn(async () => [0, null]),
}));

const path = scratch();
let said = '';

beforeEach(() => {
  said = '';
  children.length = 0;
  vi.clearAllMocks();
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    said += text;
    return true;
  });
  const { title } = process;
  onTestFinished(() => {
    write.mockRestore();
    process.title = title;
    process.removeAllListeners('disconnect');
  });
});

const parsed = <T>(line: string): T => parseCommand(line.split(' ')) as T;

describe('submit', () => {
  const LINE = 'submit --connection redis://h -t u8 -o c a b';

  it('hands over what was given, and nothing else', async () => {
    await runSubmit(parsed(LINE));
    const [[connection, plan] = []] = vi.mocked(submitSort).mock.calls;
    expect(connection).toBe('redis://h');
    const { storage, signal, onProgress, onReport, ...rest } = plan as never as Record<
      string,
      unknown
    >;
    expect(rest).toEqual({ input: ['a', 'b'], output: 'c', type: 'u8', order: 'ascending' });
    expect(Object.keys(rest)).not.toContain('memory');
    expect([storage, onProgress, onReport].includes(undefined)).toBe(false);
    expect(signal).toBeInstanceOf(AbortSignal);
    await runSubmit(parsed(`${LINE} -d --parts 3 --memory 9M --tmp t`));
    expect(vi.mocked(submitSort).mock.calls[1]?.[1]).toMatchObject({
      ...{ order: 'descending', parts: 3, memory: 9 * 2 ** 20, tmp: 't' },
    });
  });

  it('--local starts workers that may use the folders of all files, each once', async () => {
    await runSubmit(parsed(`submit --local 3 -t u8 -o ${path('c')} ${path('a')} ${path('b')}`));
    await runSubmit(
      parsed('submit --local 1 -t u8 -o s3://x/y/z s3://x/a s3://x/a/b/ --tmp s3://t'),
    );
    const roots = children.map(({ args }) => args.slice(1).map((root) => root.slice(7)));
    const here = [dirname(path('c'))];
    const there = ['s3://x', 's3://x/a/b', 's3://x/y', 's3://t'];
    expect(roots).toEqual([here, here, here, there]);
    expect(children.map(({ args }) => args[0])).toEqual(Array(4).fill('worker'));
    const [[connection] = []] = vi.mocked(submitSort).mock.calls;
    expect(connection).toBe('redis://local');
    const line = `submit --local 1 -t u8 -o ${path('c')} ${path('none/a')}`;
    await expect(runSubmit(parsed(line))).rejects.toThrow(/^cannot read '.*none\/a'/);
  });

  it('shows progress in words, and says a report only if it was asked for', async () => {
    const drawn: string[] = [];
    const now = vi.spyOn(performance, 'now');
    onTestFinished(() => now.mockRestore());
    let time = 0;
    now.mockImplementation(() => time);
    const { isTTY } = process.stderr;
    process.stderr.isTTY = true;
    onTestFinished(() => {
      process.stderr.isTTY = isTTY as never;
    });
    const report = {
      ...{ bytes: 8, bytesRead: 1, bytesWritten: 2, parts: 1, pieces: 1, imbalance: 1 },
      ...{ retries: 0, workers: {}, milliseconds: { total: 1, sample: 1 } },
    };
    vi.mocked(submitSort).mockImplementation(async (_, { onProgress, onReport }) => {
      for (const phase of ['sample', 'partition', 'sort', 'write'] as const) {
        time += 2000;
        said = '';
        onProgress?.({ phase, completed: 1, total: 4 });
        drawn.push(said);
      }
      onReport?.(report as never);
    });
    await runSubmit(parsed(LINE));
    const words = ['sampling', 'dividing', 'sorting', 'writing'];
    for (const [i, word] of words.entries()) expect(drawn[i]).toMatch(new RegExp(`${word} .* 25%`));
    expect(said).not.toContain('"bytes":8');
    expect(said).not.toContain('sorted 8 B');
    await runSubmit(parsed(`${LINE} --report=json`));
    expect(said).toContain('"bytes":8');
    await runSubmit(parsed(`${LINE} --report`));
    expect(said).toContain('sorted 8 B in 1.00 ms');
  });
});

describe('worker', () => {
  const LINE = 'worker --connection redis://h --root /a --root s3://b/c';

  it('hands over what was given, says errors, and closes its sorter', async () => {
    let isClosed: unknown;
    let backends: string[] = [];
    vi.mocked(runWorker).mockImplementation(async (_, { sorter, onError }) => {
      backends = Object.keys((await (sorter as Partial<Sorter>).capabilities?.()) ?? {}).sort();
      for (const message of ['away', 'away', 'back']) onError?.(new Error(message));
      isClosed = () => sorter?.sort(Uint8Array.of(1));
    });
    await runWorkerCommand(parsed(`${LINE} --concurrency 2 --threads 1`));
    const [[connection, options] = []] = vi.mocked(runWorker).mock.calls;
    expect(connection).toBe('redis://h');
    expect(options).toMatchObject({ roots: ['/a', 's3://b/c'], concurrency: 2 });
    expect(options?.signal).toBeInstanceOf(AbortSignal);
    expect(said).toBe('keysweep worker: away\nkeysweep worker: back\n');
    // Threads are for the CPU.
    expect(backends).toEqual(['builtin', 'cpu']);
    await expect((isClosed as () => Promise<unknown>)()).rejects.toThrow('closed');
    await runWorkerCommand(parsed(LINE));
    expect(Object.keys(vi.mocked(runWorker).mock.calls[1]?.[1] as object)).not.toContain(
      'concurrency',
    );
    expect(children).toEqual([]);
    expect(process.title).toBe('keysweep worker');
  });

  it('with a GPU sorts on that, in another process if others have to be hidden', async () => {
    await runWorkerCommand(parsed(`${LINE} --gpu 0 --concurrency 3`));
    expect(vi.mocked(processSorter).mock.calls).toEqual([[{ gpu: 0 }]]);
    expect(vi.mocked(runWorker)).toHaveBeenCalledOnce();
    expect(children).toEqual([]);
    vi.mocked(runWorker).mockClear();
    await runWorkerCommand(parsed(`${LINE} --gpu 2 --concurrency 3`));
    expect(vi.mocked(runWorker)).not.toHaveBeenCalled();
    const [{ command, args, env, detached } = {} as never] = children as unknown as {
      command: string;
      args: string[];
      env: Record<string, string>;
      detached: boolean;
    }[];
    expect(command).toBe('env');
    expect(args.slice(0, 2)).toEqual(['GPU=2', process.execPath]);
    // There it is the only one.
    const own = ['worker', '--gpu', '0', '--concurrency', '3', '--root=/a', '--root=s3://b/c'];
    expect(args.slice(-own.length - 1)).toEqual([process.argv[1], ...own]);
    expect(env.KEYSWEEP_CONNECTION).toBe('redis://h');
    expect(args.join()).not.toContain('redis');
    expect(detached).toBe(true);
  });
});

describe('sort by files', () => {
  it('hands over what was given, with a sorter unless processes sort', async () => {
    const [input, output] = [path('in'), path('out')];
    writeFileSync(input, new Uint8Array(16));
    const line = `sort ${input} -o ${output}`;
    await runSortFile(parsed(`${line} -t u32`));
    await runSortFile(parsed(`${line} --record 4 --key 1:2:desc -d -u --memory 2M --tmp /t`));
    await runSortFile(parsed(`${line} -t u32 --processes 1 --threads 2 --gpu 1 --resume`));
    const plans = vi
      .mocked(sortFile)
      .mock.calls.map(([from, to, { storage, onProgress, onReport, ...rest }]) => {
        expect([from, to]).toEqual([input, output]);
        expect([storage, onProgress, onReport].includes(undefined)).toBe(false);
        return { ...rest, sorter: rest.sorter === undefined ? 'none' : 'one' };
      });
    const none = { unique: false, resume: false, order: 'ascending' };
    expect(plans).toEqual([
      { ...none, type: 'u32', sorter: 'one' },
      {
        ...{
          ...none,
          unique: true,
          order: 'descending',
          sorter: 'one',
          memory: 2 ** 21,
          tmp: '/t',
        },
        record: { bytes: 4, keys: [{ at: 1, bytes: 2, order: 'descending' }] },
      },
      {
        ...none,
        type: 'u32',
        resume: true,
        sorter: 'none',
        processes: [{ gpu: 1 }, { threads: 2 }],
      },
    ]);
    expect(plans.every((plan) => !('signal' in plan))).toBe(true);
  });

  it('says a report if it was asked for', async () => {
    const [input, output] = [path('in'), path('out')];
    writeFileSync(input, new Uint8Array(16));
    const report = {
      ...{ bytes: 8, memory: 9, bytesRead: 1, bytesWritten: 2, outputBytes: 3, parts: 1 },
      ...{ imbalance: 1, passes: 1, threads: 1, partsResumed: 0, processes: [] },
      milliseconds: { total: 1, spool: 0, sample: 1, partition: 0, sort: 0 },
    };
    vi.mocked(sortFile).mockImplementation(async (_, __, { onReport }) =>
      onReport?.(report as never),
    );
    const line = `sort ${input} -o ${output} -t u32 --tmp /t`;
    await runSortFile(parsed(line));
    expect(said).toBe('');
    await runSortFile(parsed(`${line} --report`));
    expect(said).toContain('sorted 8 B in 1.00 ms with 9 B of memory');
    said = '';
    await runSortFile(parsed(`${line} --report=json`));
    expect(JSON.parse(said)).toEqual(report);
  });

  it('refuses text, and reads a stream as it comes', async () => {
    const text = path('text');
    writeFileSync(text, 'a,b\n1,2\n');
    await expect(
      runSortFile(parsed(`sort ${text} -o ${path('out')} -t u32 --tmp /t`)),
    ).rejects.toThrow('is text, and its bytes are not the numbers that it shows');
    expect(sortFile).not.toHaveBeenCalled();
    await runSortFile(parsed(`sort /dev/null -o ${path('out')} -t u8 --tmp /t`));
    const [[input] = []] = vi.mocked(sortFile).mock.calls;
    expect(typeof (input as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]).toBe('function');
  });
});

describe('small things', () => {
  it('options that are not given are left out', () => {
    expect(onlyGiven({ a: 1, b: undefined, c: null, d: 0, e: false })).toEqual({
      a: 1,
      c: null,
      d: 0,
      e: false,
    });
    expect(Object.keys(onlyGiven({ b: undefined }))).toEqual([]);
  });

  it('names are addresses or not, whatever is missing', () => {
    expect(haveAddress([undefined, '/a', 'b'])).toBe(false);
    expect(haveAddress([undefined, '/a', 's3://b/c'])).toBe(true);
    expect(haveAddress([])).toBe(false);
  });

  it('bare numbers are sorted by the main thread, and all else by another', async () => {
    let started = 0;
    const count = (): void => void started++;
    process.on('worker', count);
    onTestFinished(() => void process.off('worker', count));
    const threads = async (line: string): Promise<number> => {
      started = 0;
      const performer = performerOf(parsed(`sort ${line}`));
      // Threads are told of in the next turn.
      await new Promise((resolve) => setImmediate(resolve));
      await performer.end();
      return started;
    };
    const here = ['a -t u8', 'a -t u8 --backend cpu', 'a.raw -t f64 --head 3'];
    const apart = ['a -t u8 --backend builtin', 'a -t u8 --argsort', 'a.csv -c x', 'a.npy'];
    for (const line of here) expect([line, await threads(line)]).toEqual([line, 0]);
    for (const line of apart) expect([line, await threads(line)]).toEqual([line, 1]);
  });

  it('a sorter warns in one line, with the cause if there is one', async () => {
    const sorters = [await sorterOf({ threads: undefined }), await sorterOf({ threads: 1 })];
    const names = await Promise.all(
      sorters.map(async (one) => Object.keys(await one.capabilities())),
    );
    expect(names[0]).toContain('webgpu');
    expect(names[1]?.toSorted()).toEqual(['builtin', 'cpu']);
    for (const sorter of sorters) {
      expect([...(await sorter.sort(Uint8Array.of(3, 1, 2)))]).toEqual([1, 2, 3]);
      await sorter.close();
    }
    expect(said).toBe('');
  });

  it('shells complete options with their values, and files', () => {
    const lines = completionOf('fish').split('\n');
    const of = (command: string, rest: string): string =>
      `complete -c keysweep -n '__fish_seen_subcommand_from ${command}' ${rest}`;
    const types = KEY_TYPES.join(' ');
    expect(lines).toEqual(
      expect.arrayContaining([
        of('sort', `-l type -s t -x -a '${types}'`),
        of('sort', '-l output -s o -r'),
        of('sort', '-l memory -r'),
        of('sort', '-l descending -s d'),
        of('sort', '-l no-header'),
        of('doctor', '-l json'),
        of('completion', "-f -a 'bash zsh fish'"),
      ]),
    );
    expect(lines[0]).toBe(
      'complete -c keysweep -n __fish_use_subcommand -f -a ' +
        "'sort check gen submit worker doctor completion help'",
    );
    expect(completionOf('zsh')).toContain('    (--type|-t) compadd -- ');
    expect(completionOf('zsh')).toContain('    (--backend) compadd -- auto ');
    expect(completionOf('zsh')).toContain('    (gen) options=(--help -h --seed --output -o) ;;');
    expect(completionOf('bash')).toContain(
      "    --format) options='raw npy arrow parquet csv tsv' ;;",
    );
    expect(completionOf('bash')).toContain(
      "      doctor) options='--help -h --json --calibrate' ;;",
    );
  });
});
