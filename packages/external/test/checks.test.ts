/** Wrong arguments of a sort of files, parts that need no sorter, names past the cache. */

import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkSort, describe as describeValue } from '../src/open/check.js';
import { KeyWords } from '../src/open/key-words.js';
import type { Run } from '../src/open/run.js';
import { processSorter } from '../src/run/processes/sorter.js';
import { answered, statusOf } from '../src/s3/error.js';
import { s3Storage } from '../src/s3.js';
import { compareKeys, recordAt, sortPart } from '../src/sort/sort-part.js';
import { areCached, BlockFile } from '../src/storage/block-file.js';
import { HeldFolder, hasDescriptorNames } from '../src/storage/held.js';
import { localStorage } from '../src/storage/local.js';
import { isPastCache } from '../src/storage/names.js';
import { assertSpace, Workspace } from '../src/storage/workspace.js';
import { scratch } from './scratch.js';

const asked: unknown[] = [];

const made = vi.hoisted(() => [] as unknown[]);

vi.mock('@keysweep/cpu', async (original) => {
  const real = await original<{ cpu(options: object): unknown }>();
  const cpu = (options: object): unknown => {
    made.push(options);
    return real.cpu(options);
  };
  return { ...real, cpu };
});
vi.mock('@keysweep/webgpu', async () => {
  const { builtin } = await import('keysweep');
  return {
    webgpu: () => ({
      ...{ ...builtin(), name: 'webgpu' },
      sort: (request: never) => {
        asked.push((request as { shape: { operation: string } }).shape.operation);
        return builtin().sort(request);
      },
    }),
  };
});

const { path } = scratch();

describe('arguments of a sort of files', () => {
  const check = (options: object, input: unknown = '/in', output: unknown = '/out') =>
    checkSort(input, output, { type: 'u32', ...options } as never);

  it.each([
    [{ onProgress: 5 }, 'onProgress must be a function, got 5'],
    [{ onReport: 'x' }, "onReport must be a function, got 'x'"],
    [{ onReport: null }, 'onReport must be a function, got null'],
    [{ signal: {} }, 'signal must be an AbortSignal, got '],
    [{ storage: {} }, 'storage must be what s3Storage() returns, got '],
    [{ storage: null }, 'storage must be what s3Storage() returns, got null'],
    [{ unique: 1 }, 'unique must be'],
    [{ resume: 'yes' }, 'resume must be'],
    [{ processes: 'two' }, "processes must be a number or a list, got 'two'"],
    [{ processes: 0 }, 'processes must be a whole number from 1'],
    [{ processes: [] }, 'processes.length must be a whole number from 1'],
    [{ processes: [{ gpu: -1 }] }, 'processes[0].gpu must be a whole number from 0'],
    [{ processes: [{}, { threads: 0 }] }, 'processes[1].threads must be a whole number from 1'],
    [{ processes: [{ cpu: 1 }] }, "'cpu'"],
    [{ processes: 2, unique: true }, 'unique is for one process: leave processes out'],
    [{ processes: 2, sorter: { sort() {}, argsort() {}, gather() {} } }, 'sorters of their own'],
    [{ memory: 65_535 }, 'memory must be'],
    [{ order: 'up' }, 'order must be'],
    [{ tmp: 5 }, 'tmp must be'],
  ])('%o are refused', (options, message) => {
    expect(() => check(options)).toThrow(message);
  });

  it('have to be paths for processes, and to go on', () => {
    const bytes = async function* () {};
    const sink = { write: async () => {} };
    const paths = 'processes need paths of this machine for the input, the output and tmp';
    // A stream becomes a file first.
    expect(check({ processes: 1 }, bytes()).processes).toEqual([{}]);
    expect(() => check({ processes: 1 }, '/in', sink)).toThrow(paths);
    const storage = { open() {} };
    expect(() => check({ processes: 1, storage, tmp: 's3://b/c' })).toThrow(paths);
    expect(() => check({ processes: 1, storage }, 's3://b/c')).toThrow(paths);
    expect(() => check({ processes: 1, storage }, '/in', 's3://b/c')).toThrow(paths);
    const stream = 'resume needs paths: a stream or a sink cannot be gone on with';
    expect(() => check({ resume: true }, bytes())).toThrow(stream);
    expect(() => check({ resume: true }, '/in', sink)).toThrow(stream);
    const here = 'resume needs paths of this machine for the output and for tmp';
    expect(() => check({ resume: true, storage }, '/in', 's3://b/c')).toThrow(here);
    expect(() => check({ resume: true, storage, tmp: 's3://b/c' })).toThrow(here);
    expect(check({ resume: true, storage }, 's3://b/c')).toMatchObject({ resume: true });
  });

  it('are told of by what they are', () => {
    expect(describeValue(Object.create(null))).toBe('an object of no class');
    expect(describeValue(new Map())).toBe('an object of Map');
    expect(describeValue(null)).toBe('null');
    expect(describeValue('a')).toBe("'a'");
    const isThere = 'Float16Array' in globalThis;
    const half = (): unknown => check({ type: 'f16' });
    if (isThere) expect(half).not.toThrow();
    else expect(half).toThrow(/^type 'f16' needs Float16Array/);
  });

  it('are taken as they are, or by default', () => {
    const plan = check({ memory: 1e6 });
    expect(plan).toMatchObject({ input: ['/in'], output: '/out', unique: false, resume: false });
    expect(plan).toMatchObject({ tmp: undefined, processes: [] });
    expect(check({ processes: 2 }).processes).toEqual([{}, {}]);
    const processes = [{ gpu: 0 }, { threads: 3 }, {}];
    expect(check({ processes }).processes).toEqual(processes);
    const given = { onProgress() {}, onReport() {}, signal: new AbortController().signal };
    expect(() => check({ ...given, onProgress: undefined })).not.toThrow();
    expect(() => check(given)).not.toThrow();
  });
});

describe('a part that is sorted in memory', () => {
  /** Sorts numbers; a sorter is asked only if `isAsked`. */
  async function sorted(
    numbers: Int32Array | Float32Array,
    { order = 'ascending', unique = false, before = undefined as number | undefined } = {},
  ) {
    const numbersType = numbers instanceof Int32Array ? 'i32' : 'f32';
    const keys = [{ at: 0, bytes: 4, type: numbersType, order }] as never;
    const layout = { width: 4, keys, numbers: numbersType } as const;
    let isAsked = false;
    const sort = async (array: Int32Array): Promise<Int32Array> => {
      isAsked = true;
      array.sort();
      return order === 'descending' ? array.reverse() : array;
    };
    const run = { layout, keyWords: new KeyWords(layout), sorter: { sort }, unique } as never;
    const bytes = (of: Int32Array | Float32Array) => new Uint8Array(of.buffer.slice(0));
    const last = before === undefined ? undefined : bytes(Int32Array.of(before));
    const { records } = await sortPart(run, bytes(numbers), new Uint8Array(0), last);
    const Numbers = numbersType === 'i32' ? Int32Array : Float32Array;
    return { isAsked, numbers: [...new Numbers(records.slice().buffer)] };
  }

  it('needs no sorter if integers are in order, in reverse order, or equal', async () => {
    const up = Int32Array.of(-5, -5, 0, 7, 7, 9);
    const down = up.toReversed();
    const is = async (numbers: Int32Array, order: string, expected: Int32Array) =>
      expect(await sorted(numbers, { order })).toEqual({ isAsked: false, numbers: [...expected] });
    await is(up, 'ascending', up);
    await is(down, 'ascending', up);
    await is(up, 'descending', down);
    await is(down, 'descending', down);
    await is(Int32Array.of(4), 'ascending', Int32Array.of(4));
    await is(Int32Array.of(4, 4, 4), 'descending', Int32Array.of(4, 4, 4));
    const mixed = Int32Array.of(1, 3, 2);
    expect(await sorted(mixed)).toEqual({ isAsked: true, numbers: [1, 2, 3] });
    expect(await sorted(Int32Array.of(3, 1, 2), { order: 'descending' })).toEqual({
      ...{ isAsked: true, numbers: [3, 2, 1] },
    });
    // Floats that are equal may be zeros of both signs, and NaNs are in no order.
    expect((await sorted(Float32Array.of(1, 2))).isAsked).toBe(true);
    expect((await sorted(Float32Array.of(2, 2))).isAsked).toBe(false);
  });

  it('keeps the first of equal numbers, unless that is the last of the part before', async () => {
    const numbers = Int32Array.of(1, 1, 2, 3, 3, 3);
    const of = async (before?: number) =>
      (await sorted(numbers, { unique: true, ...(before !== undefined && { before }) })).numbers;
    expect(await of()).toEqual([1, 2, 3]);
    expect(await of(0)).toEqual([1, 2, 3]);
    expect(await of(1)).toEqual([2, 3]);
    const many = Int32Array.from({ length: 20_000 }, (_, i) => i >> 1);
    const { numbers: kept } = await sorted(many, { unique: true, before: 0 });
    expect(kept).toEqual(Array.from({ length: 9999 }, (_, i) => i + 1));
  });

  it('keeps the first of equal records', async () => {
    const keys = [{ at: 1, bytes: 1, type: undefined, order: 'ascending' }] as const;
    const layout = { width: 2, keys, numbers: undefined };
    const keyWords = new KeyWords(layout as never);
    const argsort = async () => Uint32Array.of(1, 3, 0, 2);
    const run = { layout, keyWords, sorter: { argsort }, unique: true } as unknown as Run;
    // Keys 5, 4, 5, 4.
    const records = Uint8Array.of(1, 5, 2, 4, 3, 5, 4, 4);
    const orderOf = async (before?: Uint8Array, own = run) => [
      ...((await sortPart(own, records, new Uint8Array(1000), before)).order ?? []),
    ];
    expect(await orderOf()).toEqual([1, 0]);
    expect(await orderOf(Uint8Array.of(9, 3))).toEqual([1, 0]);
    expect(await orderOf(Uint8Array.of(9, 4))).toEqual([0]);
    expect(await orderOf(undefined, { ...run, unique: false })).toEqual([1, 3, 0, 2]);
    expect([...recordAt(records, 2, 2)]).toEqual([3, 5]);
    const compare = (a: number, b: number) =>
      Math.sign(compareKeys(run, Uint8Array.of(0, a), Uint8Array.of(9, b)));
    expect([compare(1, 2), compare(2, 2), compare(3, 2)]).toEqual([-1, 0, 1]);
  });
});

describe('files past the cache', () => {
  it('are all that a sort writes, but for parts that are soon read', () => {
    const yes = [
      '/a/.keysweep-1.tmp',
      '/a/.keysweep-1.tmp/parts/3',
      'c:\\a\\.keysweep-x.tmp\\parts',
    ];
    const no = ['/a/.keysweep-1.tmp/cached/3', '/a/keysweep-1.tmp', '/a/x.keysweep-1.tmp', '/a/b'];
    const more = ['/a/.keysweep-1.tmpx', '/a/.keysweep-1/.tmp', '/.keysweep-1.tmp.x', ''];
    expect(yes.map(isPastCache)).toEqual([true, true, true]);
    expect([...no, ...more].filter(isPastCache)).toEqual([]);
    const free = process.availableMemory?.() ?? 0;
    expect([0, 1e18].map(areCached)).toEqual([true, false]);
    if (free > 0) expect(areCached(free / 2)).toBe(false);
  });

  it('give few bytes at once, and no more than they have', async () => {
    const bytes = Uint8Array.from({ length: 40_000 }, (_, i) => i);
    writeFileSync(path('f'), bytes);
    const file = new BlockFile(await open(path('f'), 'r'), 'read', false);
    const into = new Uint8Array(100);
    expect(file.readNow(into, 50)).toBe(true);
    expect([...into]).toEqual([...bytes.subarray(50, 150)]);
    expect(file.readNow(into, 39_950)).toBe(false);
    expect(file.readNow(new Uint8Array(40_000), 0)).toBe(false);
    expect(await file.move(into, 39_950)).toBe(50);
    expect(await file.move(new Uint8Array(40_000), 0)).toBe(40_000);
    await file.close();
    expect(file.readNow(into, 0)).toBe(false);
  });

  it('lie in folders whose names stay with them, or not', () => {
    const steady = (mode: number): boolean => {
      mkdirSync(path('folder'), { recursive: true });
      chmodSync(path('folder'), mode);
      const folder = new HeldFolder(path('folder'));
      try {
        return folder.isSteady;
      } finally {
        folder.close();
      }
    };
    expect([0o700, 0o755, 0o1777, 0o1770].map(steady)).toEqual([true, true, true, true]);
    expect([0o777, 0o770, 0o707].map(steady)).toEqual([false, false, false]);
    // Windows has no such users and modes.
    vi.stubGlobal('process', { ...process, geteuid: undefined });
    expect([0o777, 0o700].map(steady)).toEqual([true, true]);
    vi.unstubAllGlobals();
    expect(hasDescriptorNames).toBe(process.platform === 'linux' && existsSync('/proc/self/fd'));
    expect(() => new HeldFolder(path('none'))).toThrow(/ENOENT/);
    writeFileSync(path('file'), '');
    expect(() => new HeldFolder(path('file'))).toThrow(/ENOTDIR/);
  });
});

describe('where a sort keeps what it needs', () => {
  it('has room enough, on each device, or on the one for all', async () => {
    const on = (devices: readonly (number | undefined)[]): Promise<void> =>
      assertSpace(
        {
          space: async (folder: string) => {
            const device = devices[Number(folder)];
            return device === undefined ? undefined : { free: 100, device };
          },
        } as never,
        devices.map((_, i) => ({ folder: `${i}`, bytes: 70 })),
        140,
      );
    await on([1, 2]);
    await on([undefined, undefined]);
    await on([1, undefined]);
    await expect(on([1, 1])).rejects.toThrow(/^not enough space in '0': .* 140 bytes .* 100 are/);
    const storage = { space: async () => ({ free: 100, device: 1 }) } as never;
    await assertSpace(storage, [{ folder: 'a', bytes: 1 }], 100);
    await expect(assertSpace(storage, [{ folder: 'a', bytes: 1 }], 101)).rejects.toThrow('space');
  });

  it('is in the first place again after a left folder could not be taken', async () => {
    mkdirSync(path('first'));
    mkdirSync(path('other'));
    const output = { folder: path('first') } as never;
    const workspace = new Workspace(localStorage, undefined, output);
    const other = new HeldFolder(path('other'));
    try {
      expect(() => workspace.adoptFolder(path('other'), other, 'gone')).toThrow(/ENOENT/);
    } finally {
      other.close();
    }
    expect(workspace.tmp).toBe(path('first'));
    expect(dirname(await workspace.folder())).toBe(path('first'));
    await workspace.remove();
    expect(readdirSync(path('first'))).toEqual([]);
  });
});

describe('errors of a store', () => {
  const said = async (error: unknown): Promise<string> =>
    answered('cannot read x', () => Promise.reject(error)).catch(({ message }) => message);
  const of = (name: string, message: string, more: object = {}) =>
    Object.assign(new Error(message), { name, ...more });

  it('are said in a line, with their kind and the status of the answer', async () => {
    const $metadata = { httpStatusCode: 503 };
    expect(await said(of('SlowDown', 'Please\n  wait ', { $metadata }))).toBe(
      'cannot read x: Please wait (SlowDown, 503)',
    );
    expect(await said(of('SlowDown', 'wait'))).toBe('cannot read x: wait (SlowDown)');
    expect(await said(of('Error', 'wait', { $metadata }))).toBe('cannot read x: wait (503)');
    expect(await said(new Error('plain'))).toBe('cannot read x: plain');
    expect(await said(of('NoSuchKey', 'x'))).toBe(
      'cannot read x: there is no such object (NoSuchKey)',
    );
    expect(await said(of('NotFound', ''))).toBe(
      'cannot read x: there is no such object (NotFound)',
    );
    expect(await said(of('Error', '', { code: 'ECONNRESET' }))).toBe('cannot read x: ECONNRESET');
    expect(await said(of('X', 'UnknownError'))).toBe('cannot read x: no reason given (X)');
    expect(await said('text')).toBe('cannot read x: text');
    expect(statusOf({ $metadata })).toBe(503);
    expect([statusOf(undefined), statusOf(new Error(''))]).toEqual([undefined, undefined]);
  });

  it('and requests go to the path of the endpoint that the environment names', async () => {
    const seen: string[] = [];
    const server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      server.close();
      server.closeAllConnections();
    });
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'id');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret-word');
    for (const name of ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3']) {
      vi.stubEnv('AWS_ENDPOINT_URL', undefined);
      vi.stubEnv(name, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
      await expect(s3Storage().open('s3://bucket/key')).rejects.toThrow('there is no such object');
    }
    expect(seen.every((one) => one.split(' ')[1]?.startsWith('/bucket/key'))).toBe(true);
    expect(seen.length).toBe(2);
  });
});

describe('the sorter of a process', () => {
  it('has the threads that it was given, or all', async () => {
    const threads = async (given: object): Promise<unknown> => {
      made.length = 0;
      const sorter = await processSorter(given);
      expect([...(await sorter.sort(Uint8Array.of(2, 1)))]).toEqual([1, 2]);
      await sorter.close();
      return made[0];
    };
    expect(await threads({ threads: 3 })).toEqual({ threads: 3 });
    expect(await threads({})).not.toHaveProperty('threads');
  });

  it('sorts on its GPU and on nothing else', async () => {
    const sorter = await processSorter({ gpu: 0 });
    asked.length = 0;
    expect([...(await sorter.sort(Uint32Array.of(2, 1)))]).toEqual([1, 2]);
    expect([...(await sorter.argsort(Uint32Array.of(2, 1)))]).toEqual([1, 0]);
    expect(asked).toEqual(['sort', 'argsort']);
    const rows = await sorter.gather(Uint8Array.of(7, 8), Uint32Array.of(1, 0));
    expect([...rows]).toEqual([8, 7]);
    await sorter.close();
    await expect(sorter.sort(Uint32Array.of(2, 1))).rejects.toThrow('closed');
  });
});
