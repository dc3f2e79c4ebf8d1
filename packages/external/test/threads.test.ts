import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { ExternalError, type FileProgress, type RecordKey } from '../dist/index.js';
import { checkSort } from '../dist/open/check.js';
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
  const random = new Random(SEED);
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
  const falling = <T>(of: (i: number) => T): T[] =>
    Array.from({ length: LENGTH }, (_, i) => of(LENGTH - i));
  const cases = [
    ['equal u32', 'u32', 'ascending', new Uint32Array(LENGTH).fill(7)],
    ['falling u32 with ties', 'u32', 'ascending', Uint32Array.from(falling((i) => i >> 1))],
    ['rising i32', 'i32', 'ascending', Int32Array.from(falling((i) => -i))],
    ['falling u64', 'u64', 'ascending', BigUint64Array.from(falling(BigInt))],
    ['falling i64', 'i64', 'ascending', BigInt64Array.from(falling((i) => LEAST + BigInt(i)))],
    ['rising i64', 'i64', 'descending', BigInt64Array.from(falling((i) => -BigInt(i)))],
    ['falling i64', 'i64', 'descending', BigInt64Array.from(falling((i) => LEAST + BigInt(i)))],
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
    const [second, third] = numbers.subarray(LENGTH - 9);
    const other = second === third ? 8 : second;
    (numbers as Uint32Array).set([third, other, third] as number[], LENGTH - 10);
    await check(false);
    expect(calls).toHaveBeenCalled();
  });

  it('but floats do: 0 lies behind -0, and NaN behind all', async () => {
    const numbers = new Float64Array(LENGTH).map((_, i) => [NaN, -0, 0][i >> 1] ?? -i);
    const input = write('in', numbers);
    await sort(input, path('out'), { type: 'f64', memory: 150_000 });
    const layout = { bytes: 8, keys: [{ at: 0, type: 'f64' }] } as const;
    const expected = sortedRecords(readFileSync(input), layout);
    expect(readFileSync(path('out')).equals(expected)).toBe(true);
  });
});
