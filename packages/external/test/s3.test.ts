import { readFileSync } from 'node:fs';
import { DISTRIBUTIONS, isThorough, Random, runSeed, sample } from '@keysweep/conformance/data';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import type { FileProgress, SortFileOptions } from '../dist/index.js';
import { checkFile, ExternalError, sortFile } from '../dist/index.js';
import { s3Storage } from '../dist/s3.js';
import type { Storage } from '../dist/storage.js';
import { sortedRecords } from './oracle.js';
import { at, type Fault, type Operation, PART, type Store, serveObjects } from './s3-server.js';
import { expectSame } from './same-bytes.js';
import { scratch } from './scratch.js';

drawTests(1 / 2);

const SEED = runSeed();
const where = `seed ${SEED}`;
const { path, names, write, sort } = scratch();

let [store, storage] = [] as unknown as [Store, Storage];
serveObjects((...served) => {
  [store, storage] = served;
});

async function put(key: string, bytes: ArrayBufferView): Promise<string> {
  const Body = new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
  await store.put(key, Body);
  return at(key);
}

const LENGTH = 60_000;
/** So little that an input of `LENGTH` numbers makes three parts, or four of objects. */
const MEMORY = 800_000;
const OPTIONS = { type: 'u64', memory: MEMORY } as const;

/** Random numbers in an object, and the bytes of them sorted. */
async function numbersAt(key: string): Promise<{ input: string; sorted: Buffer }> {
  const numbers = new BigUint64Array(LENGTH);
  new Random(SEED).fill(new Uint32Array(numbers.buffer));
  const input = await put(key, numbers);
  return { input, sorted: Buffer.from(numbers.sort().buffer) };
}

const operationsOn = (key: string): Set<Operation> =>
  new Set(store.requests.filter((one) => one.key === key).map(({ operation }) => operation));

/** Where temporary files are: by default on this machine. */
const TMP: readonly (readonly [string, Pick<SortFileOptions, 'tmp'>])[] = [
  ['on this machine', {}],
  ['beside the output', { tmp: at('tmp') }],
];

describe.each(sample(TMP, 1, SEED))(
  'objects are sorted as files are, with temporary files %s',
  (_, tmp) => {
    const skewed = ['random bits', 'Zipf', 'all equal', 'sorted'];
    const named = tmp.tmp === undefined ? skewed : skewed.slice(1, 3);
    const some = DISTRIBUTIONS.filter(({ name }) => isThorough || named.includes(name));

    it.each(some)('numbers: $name', async (distribution) => {
      const numbers = new BigUint64Array(LENGTH);
      distribution.fill(numbers, new Random(SEED));
      const input = await put('in', numbers);
      const report = await sort(input, at('out'), { ...OPTIONS, ...tmp, storage });
      expectSame(store.bytes('out'), Buffer.from(numbers.sort().buffer), where);
      expect(store.keys()).toEqual(['in', 'out']);
      expect(store.uploads()).toEqual([]);
      expect(report.parts).toBeGreaterThan(2);
      expect(report.passes).toBe(2);
      expect(report.imbalance, where).toBeLessThanOrEqual(1.25);
      // Blocks that belong to one part stay in the input.
      const most = report.bytes * report.passes;
      if (['all equal', 'sorted'].includes(distribution.name)) {
        expect(report.bytesWritten).toBeLessThan(0.75 * most);
      } else {
        expect(report.bytesWritten).toBeLessThanOrEqual(most);
      }
      // Ranges alone, and an output that comes by the request that completes an upload.
      const read = store.requests.filter(({ operation }) => operation === 'GetObject');
      expect(read.length).toBeGreaterThan(0);
      for (const { range } of read) expect(range).toMatch(/^bytes=\d+-\d+$/);
      expect(operationsOn('out')).toEqual(
        new Set(['CreateUpload', 'UploadPart', 'CompleteUpload']),
      );
      expect(operationsOn('in')).toEqual(new Set(['HeadObject', 'GetObject']));
      const others = store.requests.some(({ key }) => !['', 'in', 'out'].includes(key));
      expect(others).toBe(tmp.tmp !== undefined);
    });

    it('records of two objects, with few values, repeats kept and left out', async () => {
      const width = 12;
      const records = new Random(SEED).fill(new Uint8Array(width * 30_000));
      for (let i = 0; i < records.length; i += width) (records[i] as number) &= 3;
      const half = width * 10_000;
      const inputs = [
        await put('a b/ä', records.subarray(0, half)),
        await put('c', records.subarray(half)),
      ];
      const keys = [
        { at: 0, bytes: 1, order: 'descending' },
        { at: 4, type: 'u16' },
      ] as const;
      for (const unique of [false, true]) {
        const record = { bytes: width, keys };
        await sort(inputs, at('out'), { record, memory: MEMORY, unique, ...tmp, storage });
        const expected = sortedRecords(Buffer.from(records), record, 'ascending', unique);
        expectSame(store.bytes('out'), expected, where);
      }
      expect(store.keys()).toEqual(['a b/ä', 'c', 'out']);
    });

    it('from a stream, which is spooled, and to a sink', async () => {
      const { input, sorted } = await numbersAt('in');
      const bytes = store.bytes('in');
      async function* stream(): AsyncGenerator<Uint8Array> {
        for (let from = 0; from < bytes.length; from += 7001)
          yield bytes.subarray(from, from + 7001);
      }
      await sort(stream(), at('out'), { ...OPTIONS, ...tmp, storage });
      expectSame(store.bytes('out'), sorted, where);
      const written: Uint8Array[] = [];
      const sink = { write: async (some: Uint8Array) => void written.push(some.slice()) };
      await sort(input, sink, { ...OPTIONS, ...tmp, storage });
      expectSame(Buffer.concat(written), sorted, where);
      expect(store.keys()).toEqual(['in', 'out']);
    });

    it.each(sample(['sample', 'partition', 'sort'] as const, 1, SEED))(
      'an abort at %s leaves nothing',
      async (at_) => {
        const { input } = await numbersAt('in');
        await put('out', Uint8Array.of(7));
        const controller = new AbortController();
        const reason = new Error('enough');
        let told = 0;
        const onProgress = ({ phase }: FileProgress): void => {
          if (phase === at_ && ++told === (phase === 'sample' ? 1 : 2)) controller.abort(reason);
        };
        const options = { ...OPTIONS, ...tmp, storage, signal: controller.signal, onProgress };
        await expect(sort(input, at('out'), options)).rejects.toBe(reason);
        const whole: readonly Operation[] = ['PutObject', 'CompleteUpload'];
        const made = store.requests.filter(({ operation }) => whole.includes(operation));
        if (at_ !== 'sort') expect(made).toEqual([]);
        expect(store.keys()).toEqual(['in', 'out']);
        expect(store.uploads()).toEqual([]);
        expect([...store.bytes('out')]).toEqual([7]);
      },
    );

    it('requests that fail are made again', async () => {
      const { input, sorted } = await numbersAt('in');
      const faults: readonly (readonly [Operation, Fault])[] = [
        ['HeadBucket', 'failing'],
        ['HeadObject', 'reset'],
        ['GetObject', 'failing'],
        ['GetObject', 'reset'],
        ['GetObject', 'cut'],
        ['CreateUpload', 'failing'],
        ['UploadPart', 'failing'],
        ['UploadPart', 'reset'],
        ['UploadPart', 'lost'],
        ['CompleteUpload', 'failing'],
        ['CompleteUpload', 'lost'],
        ...(tmp.tmp === undefined
          ? []
          : ([
              ['DeleteObject', 'lost'],
              ['List', 'failing'],
            ] as const)),
      ];
      const left = new Set(faults);
      store.fault = ({ operation }) => {
        const fault = [...left].find(([of]) => of === operation);
        if (fault !== undefined) left.delete(fault);
        return fault?.[1];
      };
      await sort(input, at('out'), { ...OPTIONS, ...tmp, storage });
      expect([...left]).toEqual([]);
      expectSame(store.bytes('out'), sorted, where);
      expect(store.keys()).toEqual(['in', 'out']);
    });

    it.each([
      ['HeadObject', 'in', `cannot read '${at('in')}': `],
      ['GetObject', 'in', `cannot read '${at('in')}': `],
      ['CreateUpload', 'out', `cannot write '${at('out')}': `],
      ['UploadPart', 'out', `cannot write '${at('out')}': `],
      ['CompleteUpload', 'out', `cannot write '${at('out')}': `],
    ] as const)('%s that fails for good is an error of one line', async (operation, key, line) => {
      const { input } = await numbersAt('in');
      await put('out', Uint8Array.of(7));
      const isIt = (one: { operation: Operation; key: string }): boolean =>
        one.operation === operation && one.key === key;
      store.fault = (one) => (isIt(one) ? 'forbidden' : undefined);
      const call = sort(input, at('out'), { ...OPTIONS, ...tmp, storage });
      await expect(call).rejects.toThrow(line);
      await expect(call).rejects.toBeInstanceOf(ExternalError);
      await expect(call).rejects.toThrow(/^[^\n]* \([^\n]*, 403\)$/);
      expect(store.keys()).toEqual(['in', 'out']);
      expect(store.uploads()).toEqual([]);
      expect([...store.bytes('out')]).toEqual([7]);
    });
  },
);

describe('an object', () => {
  it('may be input and output, small, and empty', async () => {
    const both = await put('both', Uint8Array.of(3, 1, 2));
    await sort(both, both, { type: 'u8', storage });
    expect([...store.bytes('both')]).toEqual([1, 2, 3]);
    await put('both', new Uint8Array(0));
    await sort(both, both, { type: 'u8', storage });
    expect(store.bytes('both')).toHaveLength(0);
  });

  it('may be given as a URL, and sorted from and into files of this machine', async () => {
    const { sorted } = await numbersAt('a b');
    await sort(new URL(at('a b')), path('out'), { ...OPTIONS, storage });
    expectSame(readFileSync(path('out')), sorted, where);
    write('reversed', new BigUint64Array(new Uint8Array(sorted).buffer).reverse());
    await sort(path('reversed'), at('back'), { ...OPTIONS, storage, tmp: path('') });
    expectSame(store.bytes('back'), sorted, where);
    expect(names()).toEqual(['out', 'reversed']);
  });

  it('is checked by checkFile', async () => {
    const { input, sorted } = await numbersAt('in');
    await put('sorted', sorted);
    const before = await checkFile(input, { type: 'u64', storage });
    const after = await checkFile(at('sorted'), { type: 'u64', storage });
    expect(after).toMatchObject({ records: LENGTH, misplaced: -1, checksum: before.checksum });
    expect(before.misplaced).not.toBe(-1);
  });

  it('of unknown size is an error, and no empty input', async () => {
    const { input } = await numbersAt('in');
    const client = Object.create(store.client);
    client.send = async (command: Parameters<typeof store.client.send>[0]) => {
      const { ContentLength: _, ...answer } = (await store.client.send(command)) as object & {
        ContentLength?: number;
      };
      return answer;
    };
    const call = sort(input, path('out'), { ...OPTIONS, storage: s3Storage({ client }) });
    await expect(call).rejects.toThrow(`cannot read '${input}': its store does not tell its size`);
    expect(names()).toEqual([]);
  });

  it('that is changed while it is read is an error', async () => {
    const { input } = await numbersAt('in');
    let change: Promise<unknown> | undefined;
    const reads: Promise<void>[] = [];
    // Not amid a read: this store would then send fewer bytes than it has announced, and no end.
    const onProgress = ({ phase }: FileProgress): void => {
      if (phase !== 'partition') return;
      change ??= Promise.allSettled(reads).then(() => put('in', new BigUint64Array(LENGTH)));
    };
    // It is changed before it is read again.
    const slow: Storage = {
      ...storage,
      open: async (name) => {
        const file = await storage.open(name);
        return {
          ...file,
          async read(into, from) {
            await change;
            const reading = file.read(into, from);
            reads.push(reading);
            return reading;
          },
        };
      },
    };
    await expect(sort(input, at('out'), { ...OPTIONS, storage: slow, onProgress })).rejects.toThrow(
      `cannot read '${input}': it was changed while it was read`,
    );
    expect(store.keys()).toEqual(['in']);
  });

  it('whose bytes break off is read on from there', async () => {
    // So many that some of them are taken before the connection ends.
    const bytes = new Random(SEED).fill(new Uint8Array(2_000_000));
    const file = await storage.open(await put('in', bytes));
    store.requests.length = 0;
    store.fault = () => (store.requests.length === 1 ? 'cut' : undefined);
    const into = new Uint8Array(bytes.length);
    await file.read(into, 0);
    expectSame(Buffer.from(into), bytes, where);
    const [first, second] = store.requests.map(({ range }) => range);
    expect(first).toBe('bytes=0-1999999');
    expect(second).toMatch(/^bytes=[1-9]\d*-1999999$/);
    expect(store.requests).toHaveLength(2);
  });

  it('or a bucket that is not there is an error', async () => {
    const { input } = await numbersAt('in');
    await expect(sort(at('absent'), at('out'), { ...OPTIONS, storage })).rejects.toThrow(
      `cannot read '${at('absent')}': there is no such object (NotFound)`,
    );
    await expect(sort(input, 's3://absent/out', { ...OPTIONS, storage })).rejects.toThrow(
      "cannot write 's3://absent/out': there is no bucket 'absent'",
    );
    for (const none of [at(''), at('folder/'), 's3://bucket', 'http://a/b']) {
      await expect(sort(none, at('out'), { ...OPTIONS, storage })).rejects.toThrow(/is no /);
    }
    expect(store.keys()).toEqual(['in']);
  });
});

describe('options', () => {
  it.each<[string, string, Partial<SortFileOptions>, RegExp]>([
    ['an address without storage', at('out'), {}, /^output must be a path .*s3Storage\(\)/],
    [
      'a storage that is none',
      'out',
      { storage: {} as Storage },
      /^storage must be what s3Storage/,
    ],
  ])('%s is an error that names it', async (_, output, options, message) => {
    const call = sortFile('in', output, { ...OPTIONS, ...options });
    await expect(call).rejects.toThrow(message);
    await expect(call).rejects.toBeInstanceOf(TypeError);
  });

  it('resume needs files of this machine', async () => {
    const resume = { ...OPTIONS, resume: true, storage };
    await expect(sortFile('in', at('out'), resume)).rejects.toThrow(/^resume needs paths of this/);
    await expect(sortFile('in', 'out', { ...resume, tmp: at('tmp') })).rejects.toThrow(/^resume/);
  });

  it('memory has to hold the unsent bytes of two temporary objects', async () => {
    // A little more than that.
    const input = await put('in', new Random(SEED).fill(new Uint32Array((9 * PART) / 4)));
    const options = { ...OPTIONS, memory: 8 * PART - 1, storage, tmp: at('tmp') };
    await expect(sort(input, at('out'), options)).rejects.toThrow(
      `memory must be from ${8 * PART} on, got ${8 * PART - 1}`,
    );
    await sort(input, at('out'), { ...options, memory: 8 * PART });
    expect(store.keys()).toEqual(['in', 'out']);
  });

  it('of s3Storage are named where they are wrong', () => {
    expect(() => s3Storage({ client: {} as never })).toThrow(/^client must be an S3Client/);
    expect(() => s3Storage({ client: store.client, partBytes: 0 })).toThrow(RangeError);
    expect(() => s3Storage({ client: store.client, requests: '8' as never })).toThrow(TypeError);
  });
});

it('what an ended process left in the folder of temporary objects is removed', async () => {
  const { input } = await numbersAt('in');
  const controller = new AbortController();
  // The names that this process gives, with the number of one that has ended.
  let own = '';
  const onProgress = (): void => {
    own = store.keys().find((key) => key.startsWith('tmp/')) ?? own;
  };
  const options = { ...OPTIONS, storage, tmp: at('tmp'), signal: controller.signal };
  await sort(input, at('out'), { ...options, onProgress });
  const [folder = ''] = /tmp\/[^/]*/.exec(own) ?? [];
  const ended = folder.replace(`-${process.pid}-`, '-999999999-');
  expect(ended).not.toBe(folder);
  // As an input that is spooled. s3rver does not list what is in folders of folders alone.
  await put(`${ended}/input`, Uint8Array.of(1));
  await put(`${folder}/input`, Uint8Array.of(1));
  await put('tmp/mine', Uint8Array.of(1));
  await sort(input, at('out'), options);
  expect(store.keys()).toEqual(['in', 'out', `${folder}/input`, 'tmp/mine'].sort());
});

it.each([
  's3://bucket/../other/key',
  's3://bucket/a/..',
  's3://bucket/./a',
  's3://../key',
  's3://bucket/a/..\\b',
])('%s could lead out of its bucket: it is refused before a request', async (address) => {
  const { input } = await numbersAt('in');
  store.requests.length = 0;
  const message = /has '\.' or '\.\.' between slashes, which some stores follow out of the bucket/;
  await expect(storage.open(address)).rejects.toThrow(message);
  await expect(storage.output(address)).rejects.toThrow(message);
  await expect(storage.remove(address)).rejects.toThrow(message);
  expect(store.requests).toEqual([]);
  await expect(sortFile(input, address, { ...OPTIONS, storage })).rejects.toThrow(message);
});

it('a key with dots in its names is one like any other', async () => {
  const { input, sorted } = await numbersAt('a..b/...c/.d');
  await sortFile(input, at('..out/o..'), { ...OPTIONS, storage });
  expectSame(store.bytes('..out/o..'), sorted, where);
});
