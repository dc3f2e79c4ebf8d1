import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { testRandom } from '../../../tools/test/random.js';
import { makeRoom, planMemory } from '../dist/divide/memory-plan.js';
import { Splitters } from '../dist/divide/splitters.js';
import { ExternalError, type FileProgress, type RecordKey } from '../dist/index.js';
import { checkSort } from '../dist/open/check.js';
import { KeyWords } from '../dist/open/key-words.js';
import { openFiles } from '../dist/open/source.js';
import { Dividers } from '../dist/run/threads/divide.js';
import { sortStored } from '../dist/sort-file.js';
import { localStorage } from '../dist/storage.js';
import { sortedRecords } from './oracle.js';
import { scratch } from './scratch.js';

drawTests(1 / 2);

const SEED = runSeed();
const { path, names, write, sort, sorter } = scratch();

/** Enough for two threads to divide. */
const MEMORY = 2 ** 25;
const WIDTH = 64;
const KEYS: RecordKey[] = [{ at: 4, type: 'u32' }];

/** Records that have their numbers, and keys with ties. */
function recordsOf(length: number, keyOf: (i: number) => number): Buffer {
  const bytes = Buffer.alloc(length * WIDTH);
  for (let i = 0; i < length; i++) {
    bytes.writeUInt32LE(i, i * WIDTH);
    bytes.writeUInt32LE(keyOf(i), i * WIDTH + 4);
  }
  return bytes;
}

/** The folders of parts in the test's folder. */
const folders = (): string[] =>
  names()
    .filter((name) => name.startsWith('.keysweep-'))
    .flatMap((name) => {
      try {
        return readdirSync(path(name)).filter((one) => !one.includes('.json'));
      } catch {
        // A file, or a folder that is gone.
        return [];
      }
    });

afterEach(() => {
  vi.restoreAllMocks();
});

describe('a source is divided by threads, each a stretch of it', () => {
  const LENGTH = 200_000;
  const random = testRandom();
  it.each([
    ['with few keys', () => random.below(7)],
    ['with many keys', () => random.below(50_000)],
    // Blocks stay, and both stretches have others among them.
    ['nearly in order', (i: number) => (i % 999 === 0 ? random.below(2000) : Math.floor(i / 100))],
    ['all in order', (i: number) => Math.floor(i / 100)],
  ] as const)('%s: ties are in the order of the input', async (_, keyOf) => {
    const records = recordsOf(LENGTH, keyOf);
    const input = write('in', records);
    let found: string[] = [];
    const onProgress = ({ phase }: FileProgress): void => {
      if (phase === 'partition') found = folders();
    };
    const record = { bytes: WIDTH, keys: KEYS };
    const options = { record, memory: MEMORY, onProgress };
    const { parts, passes, threads, bytesRead } = await sort(input, path('out'), options);
    expect([passes, parts > 1]).toEqual([2, true]);
    expect(threads).toBe(Math.min(2, availableParallelism()));
    if (availableParallelism() > 1) expect(found).toEqual(['cached-0', 'cached-1']);
    const expected = sortedRecords(records, record);
    expect(readFileSync(path('out')).equals(expected), `seed ${SEED}`).toBe(true);
    expect(bytesRead).toBeLessThanOrEqual(2 * records.length + 400 * WIDTH * parts);
    expect(names()).toEqual(['in', 'out']);
  });

  /** Rejects in the partition, and leaves nothing. */
  async function failsAt(act: () => void): Promise<unknown> {
    const input = write('in', new Random(SEED).fill(new Uint32Array(6_000_000)));
    const phases = new Set<string>();
    const sorting = sort(input, path('out'), {
      type: 'u32',
      memory: MEMORY,
      onProgress({ phase }) {
        phases.add(phase);
        if (phase === 'partition') act();
      },
    });
    const error = await sorting.catch((thrown: unknown) => thrown);
    expect([...phases]).toEqual(['sample', 'partition']);
    expect(names()).toEqual(['in']);
    return error;
  }

  it('ends them when a callback throws', async () => {
    const reason = new Error('enough');
    const error = await failsAt(() => {
      throw reason;
    });
    expect(error).toBe(reason);
  });

  it('ends all when one cannot read on', async () => {
    // The calling thread can.
    const error = await failsAt(() => truncateSync(path('in'), 16_000_000));
    expect(error).toBeInstanceOf(ExternalError);
    expect((error as Error).message).toMatch(
      /^cannot read '.*in': it has fewer than its \d+ bytes/,
    );
  });

  it('ends all when the disk is full', async ({ skip }) => {
    mkdirSync(path('small'));
    const mount = ['-t', 'tmpfs', '-o', 'size=10m', 'tmpfs', path('small')];
    const mounted = spawnSync('mount', mount);
    skip(mounted.status !== 0, `no file system can be mounted here: ${mounted.stderr}`);
    try {
      const input = write('in', new Random(SEED).fill(new Uint32Array(6_000_000)));
      const options = { type: 'u32', memory: MEMORY, sorter: sorter() } as const;
      const plan = checkSort(input, path('out'), { ...options, tmp: path('small') });
      const blind = { ...localStorage, space: async () => undefined };
      await expect(sortStored(blind, plan, options)).rejects.toThrow(
        /^cannot write '.*': no space left on device \(ENOSPC\)$/,
      );
      expect([names(), readdirSync(path('small'))]).toEqual([['in', 'small'], []]);
    } finally {
      spawnSync('umount', [path('small')]);
    }
  });
});

it('an output that nobody could go on with needs no notes', async () => {
  const numbers = new Random(SEED).fill(new Uint32Array(60_000));
  const options = { type: 'u32', memory: 150_000, sorter: sorter() } as const;
  const storage: typeof localStorage = {
    ...localStorage,
    async output(name) {
      const { identityOf: _, adopt: __, ...output } = await localStorage.output(name);
      return output;
    },
  };
  const plan = checkSort(write('in', numbers), path('out'), options);
  await sortStored(storage, plan, options);
  expect(readFileSync(path('out')).equals(Buffer.from(numbers.sort().buffer))).toBe(true);
  expect(names()).toEqual(['in', 'out']);
});

describe('those who divide', () => {
  // Several chunks for each thread.
  const [LENGTH, FROM] = [2_000_000, 1000];
  const key = { at: 0, bytes: 4, type: 'u32', order: 'ascending' } as const;
  const layout = { width: 4, numbers: 'u32', keys: [key] } as const;

  /** Divides numbers into two halves, by two threads. */
  async function divided(isBusy: boolean, pairs?: unknown) {
    const numbers = new Random(SEED).fill(new Uint32Array(LENGTH));
    const input = write('in', numbers);
    mkdirSync(path('parts'));
    let own = 0;
    const count = { read: 0, written: 0 };
    const told: number[] = [];
    const run = {
      ...{ layout, keyWords: new KeyWords(layout), count },
      storage: {
        ...localStorage,
        write(name: string) {
          own++;
          return localStorage.write(name);
        },
      },
      tell(phase: string, completed: number, total: number): void {
        expect([phase, total]).toEqual(['partition', 4 * (LENGTH - FROM)]);
        told.push(completed);
      },
    };
    const memoryPlan = { ...planMemory(MEMORY, 4 * LENGTH, layout, 1, 0), bufferBytes: 2 ** 24 };
    const half = { words: [Uint32Array.of(2 ** 31)], places: Float64Array.of(0) };
    const splitters = new Splitters(half);
    if (pairs !== undefined) Object.assign(splitters, { pairs });
    const source = await openFiles(run, [input]);
    const dividers = new Dividers(memoryPlan, 2, isBusy);
    const stretch = { from: 4 * FROM, end: 4 * LENGTH, mayStay: false };
    try {
      const room = makeRoom(memoryPlan);
      const parts = await dividers.divide(run, source, splitters, room, path('parts/p'), stretch);
      const below = numbers.subarray(FROM).filter((number) => number < 2 ** 31).length;
      expect(parts.map(({ size }) => size)).toEqual([4 * below, 4 * (LENGTH - FROM - below)]);
      return { threads: dividers.threads, own, told, count };
    } finally {
      await dividers.close();
      await source.close();
    }
  }

  it.each([false, true])(
    'tell of all that they do; the calling one is busy: %s',
    async (isBusy) => {
      const { threads, own, told, count } = await divided(isBusy);
      expect({ threads, own }).toEqual({ threads: 2, own: isBusy ? 0 : 2 });
      expect(told).toEqual(told.toSorted((a, b) => a - b));
      expect(told.at(-1)).toBe(4 * (LENGTH - FROM));
      expect(count).toEqual({ read: 4 * (LENGTH - FROM), written: 4 * (LENGTH - FROM) });
    },
  );

  it('say where an error comes from that is no fault of a file', async () => {
    await expect(divided(true, { words: 5 })).rejects.toThrow(/TypeError.*\n +at /s);
  });
});

describe('parts go through the cache of the system', () => {
  it.each([
    [2 ** 40, 'cached'],
    [2 ** 24, 'parts'],
  ])('or past it, with %d bytes of memory free', async (free, name) => {
    vi.spyOn(process, 'availableMemory').mockReturnValue(free);
    const numbers = new Random(SEED).fill(new Uint32Array(1_000_000));
    const input = write('in', numbers);
    let found: string[] = [];
    const onProgress = ({ phase }: FileProgress): void => {
      if (phase === 'partition') found = folders();
    };
    await sort(input, path('out'), { type: 'u32', memory: 1_000_000, onProgress });
    expect(found).toEqual([name]);
    expect(readFileSync(path('out')).equals(Buffer.from(numbers.sort().buffer))).toBe(true);
  });
});

describe('parts that are in order, or in reverse order, need no sorter', () => {
  const LENGTH = 100_000;
  const LEAST = -(2n ** 63n);
  const falling = <T>(of: (i: number) => T, length: number = LENGTH): T[] =>
    Array.from({ length }, (_, i) => of(length - i));
  /** Of as many bytes. */
  const wide = <T>(of: (i: number) => T): T[] => falling(of, LENGTH / 2);
  const cases = [
    ['equal u32', 'u32', 'ascending', new Uint32Array(LENGTH).fill(7)],
    ['falling u32 with ties', 'u32', 'ascending', Uint32Array.from(falling((i) => i >> 1))],
    ['rising i32', 'i32', 'ascending', Int32Array.from(falling((i) => -i))],
    ['falling u64', 'u64', 'ascending', BigUint64Array.from(wide(BigInt))],
    ['falling i64', 'i64', 'ascending', BigInt64Array.from(wide((i) => LEAST + BigInt(i)))],
    ['rising i64', 'i64', 'descending', BigInt64Array.from(wide((i) => -BigInt(i)))],
    ['falling i64', 'i64', 'descending', BigInt64Array.from(wide((i) => LEAST + BigInt(i)))],
  ] as const;

  it.each(sample(cases, 3, SEED))('%s, %s, %s', async (_, type, order, numbers) => {
    const calls = vi.spyOn(sorter(), 'sort');
    const width = numbers.BYTES_PER_ELEMENT;
    const options = { type, order, memory: 150_000 } as const;
    const layout = { bytes: width, keys: [{ at: 0, type }] };
    const check = async (unique: boolean): Promise<void> => {
      const input = write('in', numbers);
      const { parts } = await sort(input, path('out'), { ...options, unique });
      expect(parts).toBeGreaterThan(2);
      const expected = sortedRecords(readFileSync(input), layout, order, unique);
      expect(readFileSync(path('out')).equals(expected)).toBe(true);
    };
    await check(false);
    await check(true);
    expect(calls).not.toHaveBeenCalled();
    // Near the end three numbers rise, and fall.
    const [second, third] = numbers.subarray(-9);
    const other = second === third ? 8 : second;
    (numbers as Uint32Array).set([third, other, third] as number[], numbers.length - 10);
    await check(false);
    expect(calls).toHaveBeenCalled();
  });

  it('but floats do: 0 comes after -0, and NaN after all', async () => {
    const numbers = new Float64Array(LENGTH).map((_, i) => [NaN, -0, 0][i >> 1] ?? -i);
    const input = write('in', numbers);
    await sort(input, path('out'), { type: 'f64', memory: 150_000 });
    const layout = { bytes: 8, keys: [{ at: 0, type: 'f64' }] } as const;
    const expected = sortedRecords(readFileSync(input), layout);
    expect(readFileSync(path('out')).equals(expected)).toBe(true);
  });
});
