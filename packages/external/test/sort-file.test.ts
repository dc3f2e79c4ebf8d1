import { createReadStream, readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  COMMON_KEY_TYPES,
  classOf,
  DISTRIBUTIONS,
  distributionsFor,
  isThorough,
  Random,
  runSeed,
  sample,
} from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import type { RecordKey, SortFileOptions } from '../dist/index.js';
import { multiset, sortedRecords, withOneNaN } from './oracle.js';
import { bytesUnder, scratch } from './scratch.js';

drawTests(1 / 2);

const SEED = runSeed();
const { path, names, write, sort } = scratch();

describe('numbers', () => {
  const all = COMMON_KEY_TYPES.flatMap((type) =>
    distributionsFor(classOf(type)).flatMap((distribution) =>
      (['ascending', 'descending'] as const).flatMap((order) =>
        [65_536, 100_003, 400_000, 4_000_000].map((memory) => ({
          type,
          distribution,
          order,
          memory,
          title: `${type}, ${distribution.name}, ${order}, ${memory} bytes`,
        })),
      ),
    ),
  );
  const some = sample(all, 10, SEED).map((one, i) => ({ ...one, unique: i % 4 === 0, i }));

  it.each(some)(
    '$title, unique $unique',
    async ({ type, distribution, order, memory, unique, i }) => {
      const random = new Random(SEED, i);
      const numbers = classOf(type).create(random.below(isThorough ? 200_000 : 40_000));
      distribution.fill(numbers, random);
      const { buffer, BYTES_PER_ELEMENT: width } = numbers;
      const input = write('in', numbers);
      const report = await sort(input, path('out'), { type, order, memory, unique });
      const sorted = readFileSync(path('out'));
      const keys: RecordKey[] = [{ at: 0, type }];
      const before = Buffer.from(buffer as ArrayBuffer);
      const expected = sortedRecords(before, { bytes: width, keys }, order, unique);
      const where = `seed ${SEED}`;
      expect(withOneNaN(sorted, type).equals(withOneNaN(expected, type)), where).toBe(true);
      if (!unique) expect(multiset(sorted, width), where).toEqual(multiset(before, width));
      expect(report, where).toMatchObject({ bytes: before.length, outputBytes: sorted.length });
      if (before.length > memory) expect(report.parts, where).toBeGreaterThan(1);
      expect(names()).toEqual(['in', 'out']);
    },
  );

  it.each(COMMON_KEY_TYPES)('of %s are each there once with unique', async (type) => {
    const random = new Random(SEED);
    const numbers = classOf(type).create(40_000);
    const { buffer, BYTES_PER_ELEMENT: bytes } = numbers;
    const keys: RecordKey[] = [{ at: 0, type }];
    for (const order of ['ascending', 'descending'] as const) {
      // Where there are two, each of them fills whole parts.
      for (const different of [5000, 2]) {
        for (let i = 0; i < numbers.length; i++) {
          const number = random.below(different);
          numbers[i] = (typeof numbers[0] === 'bigint' ? BigInt(number) : number) as never;
        }
        const input = write('in', numbers);
        await sort(input, path('out'), { type, order, memory: 100_003, unique: true });
        const before = Buffer.from(buffer as ArrayBuffer);
        const expected = sortedRecords(before, { bytes, keys }, order, true);
        expect(readFileSync(path('out')).equals(expected), `seed ${SEED}, ${order}`).toBe(true);
      }
    }
  });
});

describe('records', () => {
  const KEYS: readonly (readonly [bytes: number, keys: readonly RecordKey[]])[] = [
    [100, [{ at: 0, bytes: 10 }]],
    [12, [{ at: 3, bytes: 1 }]],
    [7, [{ at: 0, bytes: 7, order: 'descending' }]],
    [
      16,
      [
        { at: 8, type: 'f64', order: 'descending' },
        { at: 1, type: 'u16' },
      ],
    ],
    [
      24,
      [
        { at: 5, type: 'i64' },
        { at: 0, bytes: 4, order: 'descending' },
      ],
    ],
    [40, [{ at: 2, bytes: 33 }]],
    [
      13,
      [
        { at: 9, type: 'f32' },
        { at: 8, type: 'i8' },
        { at: 0, bytes: 6 },
      ],
    ],
    [6, [{ at: 4, type: 'i16' }]],
  ];
  const some = KEYS.flatMap(([bytes, keys]) =>
    sample(
      (['ascending', 'descending'] as const).flatMap((order) =>
        [false, true].flatMap((few) => [70_000, 400_000].map((memory) => ({ order, few, memory }))),
      ),
      1,
      SEED + bytes,
    ).map((one) => ({ bytes, keys, ...one })),
  );

  it.each(some)(
    'of $bytes bytes, $order, few values $few, $memory bytes of memory',
    async (one) => {
      const { bytes, keys, order, few, memory } = one;
      const random = new Random(SEED, bytes);
      const records = random.fill(new Uint8Array(bytes * (1 + random.below(300_000 / bytes))));
      // Ties, whose order tells whether the sort is stable.
      if (few)
        for (let i = 0; i < records.length; i++) (records[i] as number) &= i % bytes < 9 ? 1 : 255;
      const input = write('in', records);
      for (const unique of [false, true]) {
        await sort(input, path('out'), { record: { bytes, keys }, order, memory, unique });
        const expected = sortedRecords(Buffer.from(records.buffer), { bytes, keys }, order, unique);
        expect(readFileSync(path('out')).equals(expected), `seed ${SEED}`).toBe(true);
      }
    },
  );

  it('are compared whole if no key is named', async () => {
    const input = write('in', Buffer.from('badacbac'));
    await sort(input, path('out'), { record: { bytes: 2 } });
    expect(readFileSync(path('out'), 'utf8')).toBe('acbacbda');
  });
});

describe('parts', () => {
  const named = ['random bits', 'Zipf', 'all equal', 'sorted', 'reversed', 'two values'];
  const distributions = DISTRIBUTIONS.filter(({ name }) => named.includes(name));

  it.each(sample(distributions, 3, SEED))(
    'of $name keys are at most 1.25 of the mean, in two passes',
    async (one) => {
      const numbers = new BigUint64Array(400_000);
      one.fill(numbers, new Random(SEED));
      const input = write('in', numbers);
      const memory = numbers.byteLength / 8;
      const report = await sort(input, path('out'), { type: 'u64', memory });
      expect(readFileSync(path('out')).equals(Buffer.from(numbers.sort().buffer))).toBe(true);
      expect(report.parts).toBeGreaterThan(8);
      expect(report.imbalance, `seed ${SEED}`).toBeLessThanOrEqual(1.25);
      expect(report.passes).toBe(2);
      // The sample is small beside a file of any size, but not beside this one.
      const sampled = 400 * 8 * report.parts;
      expect(report.bytesRead).toBeLessThanOrEqual(2 * numbers.byteLength + sampled);
      const staying = ['all equal', 'sorted', 'reversed'].includes(one.name) ? 0.5 : 0;
      const written = report.bytesWritten / numbers.byteLength;
      expect(written).toBeGreaterThan(1);
      expect(written).toBeLessThanOrEqual(2 - staying);
      if (staying === 0) expect(written).toBe(2);
    },
  );

  describe('of an input that is nearly in order', () => {
    const width = 12;
    const keys: RecordKey[] = [{ at: 4, type: 'u32' }];

    /** Records in order, with ties, but for some that lie among them: each has its number. */
    function nearlySorted(length: number, random: Random): Buffer {
      const bytes = Buffer.alloc(length * width);
      for (let i = 0; i < length; i++) {
        bytes.writeUInt32LE(i, i * width);
        bytes.writeUInt32LE(Math.floor(i / 100), i * width + 4);
      }
      // A sample hardly meets them.
      for (let i = 0; i < length / 10_000; i++) {
        const at = random.below(length) * width + 4;
        bytes.writeUInt32LE(random.below(length / 100), at);
      }
      return bytes;
    }

    it.each([400_000, 120_000])('stay in the input, with %d bytes of memory', async (memory) => {
      const records = nearlySorted(100_000, new Random(SEED));
      const input = write('in', records);
      for (const order of sample(['ascending', 'descending'] as const, 1, SEED + memory)) {
        const report = await sort(input, path('out'), {
          record: { bytes: width, keys },
          order,
          memory,
        });
        const expected = sortedRecords(records, { bytes: width, keys }, order, false);
        expect(readFileSync(path('out')).equals(expected), `seed ${SEED}`).toBe(true);
        expect(report.bytesWritten).toBeLessThan((report.passes - 0.3) * records.length);
      }
    });

    it('are read again: an input that is changed meanwhile is an error', async () => {
      const numbers = Uint32Array.from({ length: 200_000 }, (_, i) => i);
      const input = write('in', numbers);
      let isChanged = false;
      const onProgress = ({ phase }: { phase: string }): void => {
        if (phase !== 'sort' || isChanged) return;
        isChanged = true;
        // Not truncated first: a read of a shorter file would be another error.
        writeFileSync(input, numbers.reverse(), { flag: 'r+' });
      };
      const sorting = sort(input, path('out'), { type: 'u32', memory: 200_000, onProgress });
      await expect(sorting).rejects.toThrow(/^the input was changed while it was sorted$/);
      expect(names()).toEqual(['in']);
    });
  });

  it('that do not fit are partitioned again', async () => {
    const numbers = new Random(SEED).fill(new Uint32Array(200_000));
    const input = write('in', numbers);
    let taken: number | undefined;
    const onProgress: SortFileOptions['onProgress'] = ({ phase }) => {
      if (phase === 'sort') taken ??= bytesUnder(path(''));
    };
    const options = { type: 'u32', memory: 65_536, onProgress } as const;
    const report = await sort(input, path('out'), options);
    expect(readFileSync(path('out')).equals(Buffer.from(numbers.sort().buffer))).toBe(true);
    // The input, its parts, and a few bytes of notes: a part that was divided again is gone.
    expect(taken).toBeGreaterThan(1_500_000);
    expect(taken).toBeLessThan(1_700_000);
    expect(report.passes).toBeGreaterThan(2);
    expect(report.parts).toBeGreaterThan(800_000 / 65_536);
  });

  it('are one if the file fits, which is read and written once', async () => {
    const numbers = new Random(SEED).fill(new Uint32Array(10_000));
    const input = write('in', numbers);
    const report = await sort(input, path('out'), { type: 'u32', memory: 1e6 });
    expect(report).toMatchObject({ parts: 1, passes: 1, bytesRead: 40_000, bytesWritten: 40_000 });
  });
});

describe('an input', () => {
  it('may be several files, one after the other', async () => {
    const inputs = [
      write('a', Uint32Array.of(5, 3)),
      pathToFileURL(write('b', new Uint32Array(0))),
      write('c', Uint32Array.of(4)),
    ];
    await sort(inputs, pathToFileURL(path('out')), { type: 'u32' });
    expect(readFileSync(path('out'))).toEqual(Buffer.from(Uint32Array.of(3, 4, 5).buffer));
    // So many that they are partitioned, at places within the second one.
    const numbers = new Random(SEED).fill(new Uint32Array(60_000));
    write('a', numbers.subarray(0, 7));
    write('c', numbers.subarray(7));
    await sort([path('a'), path('b'), path('c')], path('out'), { type: 'u32', memory: 70_000 });
    expect(readFileSync(path('out')).equals(Buffer.from(numbers.sort().buffer))).toBe(true);
  });

  it.each([
    [100, 1],
    // An eighth of the memory holds this, and no more.
    [6250, 1],
    [6251, 2],
    [60_000, 3],
  ])('may be a stream, of %d numbers, which are written %d times', async (length, times) => {
    const numbers = new Random(SEED).fill(new Uint32Array(length));
    const stream = createReadStream(write('in', numbers), { highWaterMark: 1001 });
    const told: [string, number][] = [];
    const onProgress: SortFileOptions['onProgress'] = ({ phase, completed }) =>
      void told.push([phase, completed]);
    const options = { type: 'u32', memory: 200_000, onProgress } as const;
    const report = await sort(stream, path('out'), options);
    expect(report.bytesWritten).toBe(times * 4 * length);
    const spooled = told.filter(([phase]) => phase === 'spool').map(([, bytes]) => bytes);
    expect(spooled).toEqual(spooled.toSorted((a, b) => a - b));
    expect(spooled.at(-1)).toBe(4 * length);
    expect(new Set(told.map(([phase]) => phase)).has('')).toBe(false);
    expect(readFileSync(path('out')).equals(Buffer.from(numbers.sort().buffer))).toBe(true);
    expect(report.bytes).toBe(4 * length);
    expect(names()).toEqual(['in', 'out']);
  });

  it('may be the output, and may be empty', async () => {
    const both = write('both', Uint8Array.of(3, 1, 2));
    await sort(both, both, { type: 'u8' });
    expect([...readFileSync(both)]).toEqual([1, 2, 3]);
    write('both', new Uint8Array(0));
    await sort(both, both, { type: 'u8', memory: 65_536 });
    await sort(both, both, { record: { bytes: 9 } });
    expect(readFileSync(both)).toHaveLength(0);
  });
});

describe('an output', () => {
  it('may be a sink, whose writes are awaited', async () => {
    const numbers = new Random(SEED).fill(new Uint32Array(60_000));
    const written: Uint8Array[] = [];
    let busy = false;
    const sink = {
      async write(bytes: Uint8Array): Promise<void> {
        expect(busy).toBe(false);
        busy = true;
        await new Promise((resolve) => setImmediate(resolve));
        written.push(bytes.slice());
        busy = false;
      },
    };
    const options = { memory: 70_000, tmp: path('') };
    await sort(write('in', numbers), sink, { type: 'u32', ...options });
    expect(Buffer.concat(written).equals(Buffer.from(numbers.sort().buffer))).toBe(true);
    expect(names()).toEqual(['in']);
    written.length = 0;
    await sort(path('in'), sink, {
      record: { bytes: 4, keys: [{ at: 0, type: 'u32' }] },
      ...options,
    });
    expect(Buffer.concat(written).equals(Buffer.from(numbers.buffer))).toBe(true);
  });

  it('gets the mode of the file that it replaces', async () => {
    const input = write('in', Uint8Array.of(2, 1));
    writeFileSync(path('out'), 'before', { mode: 0o640 });
    await sort(input, path('out'), { type: 'u8' });
    const { statSync } = await import('node:fs');
    expect((statSync(path('out')).mode & 0o777).toString(8)).toBe('640');
  });
});

describe('progress', () => {
  it('names every stage, and ends with all bytes', async () => {
    const numbers = new Random(SEED).fill(new Uint32Array(60_000));
    const stages = new Map<string, number>();
    await sort(write('in', numbers), path('out'), {
      type: 'u32',
      // So much that no part is overfull, whatever the seed.
      memory: 150_000,
      onProgress: ({ phase, completed, total }) => {
        expect(total).toBe(240_000);
        expect(completed).toBeGreaterThanOrEqual(stages.get(phase) ?? 0);
        stages.set(phase, completed);
      },
    });
    expect([...stages.keys()]).toEqual(['sample', 'partition', 'sort']);
    expect(stages.get('partition')).toBe(240_000);
    expect(stages.get('sort')).toBe(240_000);
  });
});

describe('an input in order but for one record of every block', () => {
  // Blocks of 2048 such records stay in the input where all of them belong to one part.
  const [BLOCK, COUNT] = [2048, 400 * 2048];

  it.each(sample([0, 1, BLOCK - 2, BLOCK - 1], 2, SEED))('record %i of each', async (odd) => {
    const numbers = Uint32Array.from({ length: COUNT }, (_, i) => i * 5000);
    const strays = new Random(SEED).fill(new Uint32Array(COUNT / BLOCK));
    for (const [i, stray] of strays.entries()) numbers[i * BLOCK + odd] = stray;
    // Records of the same bytes: their keys are compared from the first byte on.
    const swapped = Buffer.from(numbers.slice().buffer).swap32();
    const record = { bytes: 4, keys: [{ at: 0, bytes: 4 }] };
    const sorted = Buffer.from(numbers.slice().sort().buffer);
    for (const [layout, bytes, expected] of [
      [{ type: 'u32' }, numbers, sorted],
      [{ record }, swapped, Buffer.from(sorted).swap32()],
    ] as const) {
      await sort(write('in', bytes), path('out'), { ...layout, memory: 1e6 });
      expect(readFileSync(path('out')).equals(expected), `seed ${SEED}`).toBe(true);
    }
  });
});
