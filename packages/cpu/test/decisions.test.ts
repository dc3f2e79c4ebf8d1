/** What the backend decides from a request before any key is moved: pure functions. */

import { KEY_TYPES, type KeyType, plainShape, type RequestShape } from '@keysweep/core';
import { ABSENT, KEYS_32, PAIRS_32, PAIRS_64, UNSIGNED_32 } from '@keysweep/kernels/cpu';
import { describe, expect, it } from 'vitest';
import { planRecords } from '../src/arena/record-plan.js';
import { usualThreadsFrom } from '../src/backend.js';
import { isCountable } from '../src/fallback/counting.js';
import { THREADS } from '../src/pool/threads-node.js';
import { warmUpRequests } from '../src/pool/warm-up-requests.js';
import { countedValues } from '../src/sort/counted-values.js';
import {
  type Job,
  type JobContext,
  type KeyOrder,
  placedPieces,
  resultsOf,
  splitByDigit,
  topDigit,
} from '../src/sort/job-context.js';
import { canSampleSplit } from '../src/sort/split.js';
import { fieldKernels, haveStarted } from '../src/sync.js';

const NARROW: readonly KeyType[] = ['u8', 'i8', 'u16', 'i16', 'f16', 'u32', 'i32', 'f32'];

describe('threads', () => {
  it('serve keys alone later than rows, and sooner if more than two are there', () => {
    for (const keyType of KEY_TYPES) {
      const from = (operation: 'sort' | 'sortPairs' | 'argsort', started: number): number =>
        usualThreadsFrom(plainShape(operation, keyType, 1), started);
      const isNarrow = NARROW.includes(keyType);
      for (const started of [0, 1, 2]) {
        expect(from('sort', started)).toBe(isNarrow ? 524_288 : 262_144);
        expect(from('argsort', started)).toBe(262_144);
        expect(from('sortPairs', started)).toBe(262_144);
      }
      for (const started of [3, 16]) {
        expect(from('sort', started)).toBe(isNarrow ? 131_072 : 100_000);
        expect(from('argsort', started)).toBe(100_000);
      }
    }
  });

  it('are as many as asked for, and none without WebAssembly', () => {
    const options = { createWorker: undefined, workerUrl: undefined };
    expect(THREADS.count({ ...options, threads: 300, plain: false })).toBe(300);
    expect(THREADS.count({ ...options, threads: 3, plain: true })).toBe(0);
    const ways = (plain: boolean) => THREADS.ways({ ...options, threads: 3, plain });
    expect(ways(true)).toEqual([]);
    expect(ways(false).map(({ name }) => name)).toEqual(['piscina', 'node:worker_threads']);
    expect(THREADS.shareMemory).toBe(true);
    expect(THREADS.awaitedFrom).toBe(2 ** 22);
    expect(THREADS.remedy()).toMatch(/--allow-worker/);
  });
});

describe('keys are counted', () => {
  const shape = (keyType: KeyType, length: number, more: Partial<RequestShape> = {}) =>
    isCountable({ ...plainShape('sort', keyType, length), ...more });

  it('from where that pays, by their width', () => {
    for (const keyType of KEY_TYPES) {
      const from = { 1: 256, 2: 200_000 }[Number(keyType.slice(1)) / 8];
      if (from === undefined) expect(shape(keyType, 2 ** 30)).toBe(false);
      else expect([from - 1, from].map((n) => shape(keyType, n))).toEqual([false, true]);
    }
  });

  it('if only whole keys have to move', () => {
    const n = 300_000;
    expect(shape('u8', n)).toBe(true);
    expect(shape('u8', n, { segmentCount: 2 })).toBe(false);
    expect(shape('u8', n, { keyBits: { begin: 0, end: 8 } })).toBe(false);
    expect(shape('u8', n, { operation: 'argsort' })).toBe(false);
    expect(shape('u8', n, { operation: 'sortPairs' })).toBe(false);
  });
});

describe('rows are counted', () => {
  /** Rows of u32 keys by their index. */
  const job = (length: number, more: Partial<Job> = {}): Job =>
    ({
      plan: planRecords(plainShape('argsort', 'u32', length), 'u32'),
      ...{ keyType: 'u32', keyBits: undefined, precision: undefined, descending: false },
      ...{ length, segmentCount: 1, keysAt: 64, valuesAt: 0, permuted: false, keysWanted: false },
      ...more,
    }) as Job;
  const counted = (one: Job, minimum: number, maximum: number) =>
    countedValues(one, BigInt(minimum), BigInt(maximum), 2n ** 32n);

  it('with twice as many rows as there are values, or a few more of the widest', () => {
    expect(counted(job(511), 0, 255)).toBeUndefined();
    expect(counted(job(512), 0, 255)).toEqual({ shift: 0, width: 8, least: 0, scale: 0 });
    expect(counted(job(512), 1000, 1255)).toEqual({ shift: 0, width: 8, least: 0, scale: 0 });
    expect(counted(job(512), 0, 256)).toBeUndefined();
    expect(counted(job(1024), 0, 256)).toMatchObject({ width: 9 });
    expect(counted(job(2 ** 17), 0, 2 ** 16 - 1)).toMatchObject({ shift: 0, width: 16 });
    const widest = 2 ** 17 + 2 ** 10;
    expect(counted(job(widest - 1), 0, 2 ** 17 - 1)).toBeUndefined();
    expect(counted(job(widest), 0, 2 ** 17 - 1)).toMatchObject({ shift: 0, width: 17 });
    expect(counted(job(2 ** 24), 0, 2 ** 17)).toBeUndefined();
  });

  it('by 17 bits of wider values if 16 bits decide', () => {
    const precise = { precision: 16 };
    const wide = { shift: 15, width: 17, least: 0, scale: 0 };
    expect(counted(job(2 ** 18, precise), 0, 2 ** 32 - 1)).toEqual(wide);
    expect(counted(job(2 ** 18, { precision: 15 }), 0, 2 ** 32 - 1)).toBeUndefined();
    expect(counted(job(2 ** 17, precise), 0, 2 ** 32 - 1)).toBeUndefined();
  });

  it('if rows come as they are, by whole keys of up to 32 bits', () => {
    const n = 2 ** 20;
    const plans = {
      keys: { ...job(n).plan, valueFormat: ABSENT },
      wide: planRecords(plainShape('argsort', 'u64', n), 'u64'),
    };
    for (const more of [
      { plan: plans.keys },
      { plan: plans.wide },
      { keysWanted: true },
      { permuted: true },
      { segmentCount: 2 },
      { keyBits: { begin: 0, end: 32 } },
    ] as Partial<Job>[]) {
      expect(counted(job(n, more), 0, 9)).toBeUndefined();
    }
    expect(plans.wide.variant).toBe(PAIRS_64);
    expect(job(n).plan.variant).toBe(PAIRS_32);
    expect(job(n).plan.valueFormat).toBe(UNSIGNED_32);
  });

  it('of floats by their leading bits and their distance from the least', () => {
    const floats = job(2 ** 20, { keyType: 'f32', precision: 16 });
    /** The word of a number: positive ones above negative ones. */
    const word = (x: number): bigint => {
      const bits = new Uint32Array(Float32Array.of(x).buffer)[0] as number;
      return BigInt(bits >>> 31 === 1 ? ~bits >>> 0 : bits + 2 ** 31) - 0x7f_ffffn;
    };
    const ceiling = word(Number.POSITIVE_INFINITY) + 1n;
    expect(word(Number.NEGATIVE_INFINITY)).toBe(0n);
    const between = (least: number, most: number) =>
      countedValues(floats, word(least), word(most), ceiling);
    const values = between(-16, 16) ?? expect.unreachable();
    const { shift, width, least, scale } = values;
    expect({ width, least }).toEqual({ width: 17, least: -16 });
    expect(shift).toBe(32 - 16);
    // The largest key is in step 2^16, and not one further: a value has 17 bits.
    expect(Math.floor((16 - least) * scale)).toBe(2 ** 16);
    expect(scale * 32).toBeGreaterThan(2 ** 16);
    const leading = Number((word(16) - word(-16)) >> BigInt(shift));
    expect(leading + 2 ** 16).toBeLessThan(2 ** 17);
    // From an infinity there is no distance.
    expect(between(Number.NEGATIVE_INFINITY, 1)).toBeUndefined();
    expect(between(1, Number.POSITIVE_INFINITY)).toBeUndefined();
    const largest = 3.4028234663852886e38;
    expect(between(1, largest)).toBeDefined();
    expect(between(-largest, 1)).toBeDefined();
    // A narrow range is counted by its bits.
    expect(countedValues(floats, word(1), word(1) + 1000n, ceiling)).toMatchObject({
      ...{ shift: 0, width: 10, scale: 0 },
    });
  });

  it('and their results are where the caller wants them', () => {
    const at = { keysAt: 128, valuesAt: 256 };
    const rows = job(1);
    expect(resultsOf(rows, at)).toEqual([256]);
    expect(resultsOf({ ...rows, keysWanted: true }, at)).toEqual([128, 256]);
    expect(resultsOf({ ...rows, plan: { ...rows.plan, valueFormat: ABSENT } }, at)).toEqual([128]);
  });
});

describe('the digit of a partition', () => {
  it('has nine bits, or what there is', () => {
    expect(topDigit(0, 32)).toEqual({ shift: 23, width: 9 });
    expect(topDigit(0, 9)).toEqual({ shift: 0, width: 9 });
    expect(topDigit(0, 5)).toEqual({ shift: 0, width: 5 });
    expect(topDigit(4, 12)).toEqual({ shift: 4, width: 8 });
    expect(topDigit(3, 12)).toEqual({ shift: 3, width: 9 });
  });

  const order = {
    ...{ begin: 0, end: 32, top: 32, firstValue: 5, variant: KEYS_32, bucketVariant: KEYS_32 },
    ...{ inputOrder: 'mixed', descending: false, counted: undefined },
  } as KeyOrder;

  it('begins with a value of its own if all keys have it, and with 0 below', () => {
    const split = { variant: KEYS_32, width: 9, low: 0n };
    expect(splitByDigit(order, 32)).toEqual({ ...split, shift: 23, firstValue: 5 });
    expect(splitByDigit(order, 23)).toEqual({ ...split, shift: 14, firstValue: 0 });
  });

  it('gives way to a sampled split of plain integers if it leaves bits to sort', () => {
    const can = (more: Partial<KeyOrder>, keyBits?: { begin: number; end: number }): boolean =>
      canSampleSplit({ keyBits } as Job, { ...order, ...more });
    expect(can({})).toBe(true);
    expect(can({ top: 10 })).toBe(true);
    expect(can({ top: 9 })).toBe(false);
    expect(can({ begin: 23 })).toBe(false);
    expect(can({}, { begin: 0, end: 32 })).toBe(false);
    expect(can({ bucketVariant: 4 })).toBe(false);
    expect(can({ variant: 4, bucketVariant: 4 })).toBe(false);
  });
});

it('a warm-up sorts each operation and type twice, short and from where threads serve it', () => {
  const asked: string[] = [];
  const from = ({ operation, keyTypes, length }: RequestShape): number => {
    expect(length).toBe(50_000);
    asked.push(`${operation} ${keyTypes[0]}`);
    return operation === 'sort' ? 50_000 : 50_001;
  };
  const kinds = ['sort', 'argsort'].flatMap((operation) =>
    ['u32', 'f32', 'u64', 'f64'].map((keyType) => `${operation} ${keyType}`),
  );
  const made = [...warmUpRequests(50_000, from)].map(
    ({ shape }) => `${shape.operation} ${shape.keyTypes[0]} ${shape.length}`,
  );
  const round = kinds.flatMap((kind) =>
    kind.startsWith('sort') ? [`${kind} 8192`, `${kind} 50000`] : [`${kind} 8192`],
  );
  expect(made).toEqual([...round, ...round]);
  expect(asked).toEqual([...kinds, ...kinds]);
  expect([...warmUpRequests(5, () => 6)].map(({ shape }) => shape.length)).toEqual(
    Array(16).fill(5),
  );
});

it('pieces count as placed from the first one on, and no further than the last', () => {
  // The word after them is what an earlier phase of more pieces has left.
  const words = new Uint32Array(8);
  words[2 + 3] = 1;
  const context = { words, job: { arena: { placedAt: 8 } } } as unknown as JobContext;
  const place = placedPieces(context, 3);
  expect([1, 0, 2].map(place)).toEqual([0, 2, 3]);
});

it('kernels count as started once somebody has asked for them', () => {
  expect(haveStarted()).toBe(false);
  expect(fieldKernels()).toBeDefined();
  expect(haveStarted()).toBe(true);
});
