/** Where a request's data lies in an arena, and how it is cut into pieces. Nothing is sorted. */

import { BackendFailedError, type KeyType, plainShape, type RequestShape } from '@keysweep/core';
import {
  ABSENT,
  FLOAT,
  KEYS_32,
  KEYS_64,
  PAIRS_32,
  PAIRS_64,
  PARTITION_BITS,
  SIGNED_32,
  SURVEY,
  UNSIGNED_32,
  WORDS_64,
} from '@keysweep/kernels/cpu';
import { describe, expect, it } from 'vitest';
import { ARENA_START, Arena, align, MAX_ARENA_BYTES } from '../src/arena/arena.js';
import { AT_ONCE, sliceOf, slicesIn, type Threading } from '../src/arena/cuts.js';
import {
  type ArenaLayout,
  layOut,
  maxKeys,
  scratchOf,
  spineRowAt,
  surveyAt,
} from '../src/arena/layout.js';
import { planRecords, widening } from '../src/arena/record-plan.js';
import { queueBytes } from '../src/arena/work-queue.js';

const MiB = 2 ** 20;
const PAUSING: Threading = { threads: 1, pauses: true };
const threads = (count: number): Threading => ({ threads: count, pauses: false });
const THREADINGS = [AT_ONCE, PAUSING, threads(2), threads(3), threads(16), threads(256)];

const plansOf = (...shapes: RequestShape[]) =>
  shapes.flatMap((shape) => shape.keyTypes.map((type) => planRecords(shape, type)));
const SORT = plansOf(plainShape('sort', 'u32', 1));
const WIDE = plansOf(plainShape('sort', 'f64', 1));
const ROWS = plansOf(plainShape('argsort', 'u32', 1));
const WIDE_ROWS = plansOf(plainShape('argsort', 'u64', 1));
const COLUMNS = [...ROWS, ...WIDE_ROWS];
const PLANS = { SORT, WIDE, ROWS, WIDE_ROWS, COLUMNS };

describe('records', () => {
  const pairs = (keyType: KeyType, valueBytes: 4 | 8): RequestShape => ({
    ...plainShape('sortPairs', keyType, 1),
    valueBytes,
  });

  it.each([
    ['u8', KEYS_32, 4, UNSIGNED_32],
    ['i16', KEYS_32, 4, SIGNED_32],
    ['u32', KEYS_32, 4, UNSIGNED_32],
    ['f32', KEYS_32 | FLOAT, 4, SIGNED_32],
    ['i64', KEYS_64, 8, WORDS_64],
    ['f64', KEYS_64 | FLOAT, 8, WORDS_64],
  ] as const)('of %s alone are as wide as a key', (type, variant, stride, keyFormat) => {
    const none = { valueFormat: ABSENT, valueBytes: 0 };
    const plan = { variant, stride, keyFormat, keyBytes: stride, ...none };
    expect(planRecords(plainShape('sort', type, 1), type)).toEqual(plan);
  });

  it.each([
    ['i8', 4, PAIRS_32, 8, 4],
    ['u32', 4, PAIRS_32, 8, 4],
    ['f32', 4, PAIRS_32 | FLOAT, 8, 4],
    ['u32', 8, PAIRS_64, 16, 4],
    ['f32', 8, PAIRS_64 | FLOAT, 16, 4],
    ['u64', 4, PAIRS_64, 16, 8],
    ['f64', 8, PAIRS_64 | FLOAT, 16, 8],
  ] as const)(
    'of %s and %i bytes have the wider one twice',
    (type, bytes, variant, stride, key) => {
      const plan = planRecords(pairs(type, bytes), type);
      const valueFormat = bytes === 8 ? WORDS_64 : UNSIGNED_32;
      expect(plan).toMatchObject({
        variant,
        stride,
        keyBytes: key,
        valueBytes: bytes,
        valueFormat,
      });
    },
  );

  it('keep the sign of narrow keys that are widened, and the bits of all others', () => {
    const bytes = Uint8Array.of(0, 0, 127, 128, 255, 1, 254, 0).buffer;
    expect(widening(new Int8Array(bytes, 1, 4))).toEqual(Int8Array.of(0, 127, -128, -1));
    expect(widening(new Uint8Array(bytes, 3, 2))).toEqual(Uint8Array.of(128, 255));
    expect(widening(new Int16Array(bytes, 2, 2))).toEqual(Int16Array.of(-32_641, 511));
    expect(widening(new Uint16Array(bytes, 2, 1))).toEqual(Uint16Array.of(32_895));
    expect(widening(Int32Array.of(-1, 5))).toEqual(Uint32Array.of(2 ** 32 - 1, 5));
    expect(widening(Float32Array.of(-0))).toEqual(Uint32Array.of(2 ** 31));
    expect(widening(BigInt64Array.of(-1n))).toEqual(Uint32Array.of(2 ** 32 - 1, 2 ** 32 - 1));
  });
});

/** The parts of a layout, as `[from, bytes]`, with what each has to hold at least. */
function parts(
  layout: ArenaLayout,
  plans: typeof SORT,
  length: number,
  segmentCount: number,
): [name: string, from: number, bytes: number][] {
  const stride = Math.max(...plans.map((plan) => plan.stride));
  const table = 2 * 4 * 2 ** PARTITION_BITS;
  const lastScratch = scratchOf(layout, layout.threads - 1);
  return [
    ['queue', layout.queueAt, queueBytes(layout.phases)],
    ['surveys', layout.surveysAt, layout.slices * align(SURVEY.bytes)],
    ['spine', layout.spineAt, 2 * layout.slices * table],
    ['scratch', layout.scratchAt, lastScratch.counters + 98_304 - layout.scratchAt],
    ['asides', layout.asidesAt, layout.threads * layout.asideBytes],
    ['placed', layout.placedAt, 4 * 512],
    ['bounds', layout.boundsAt, 4 * (segmentCount + 1)],
    ['records', layout.recordsAt, stride * length],
    ['spare', layout.spareAt, stride * length],
    ...(plans.length > 1 ? ([['indices', layout.indicesAt, 4 * length]] as never) : []),
  ];
}

describe('a layout', () => {
  const LENGTHS = [0, 1, 63, 1000, 65_535, 65_536, 65_537, 262_144, 3_000_001];

  it.each(Object.entries(PLANS))('of %s: no part reaches into another', (_, plans) => {
    for (const threading of THREADINGS) {
      for (const length of LENGTHS) {
        for (const segments of [1, 7, 1000]) {
          const layout = layOut(plans, length, segments, threading);
          const all = parts(layout, plans, length, segments);
          // Cache lines of their own, one part close behind the other, the first as soon as may be.
          expect(all.every(([, from]) => from % 64 === 0)).toBe(true);
          const gaps = all.map(([, from], i) => {
            const [, before, bytes] = all[i - 1] ?? ['', ARENA_START, 0];
            return from - before - align(bytes);
          });
          expect(gaps.every((gap) => gap >= 0 && gap < 64)).toBe(true);
          const [, from, bytes] = all.at(-1) as (typeof all)[number];
          expect(layout.end).toBe(align(from + bytes));
          expect(layout.indicesAt === 0).toBe(plans.length === 1);
        }
      }
    }
  });

  it.each(THREADINGS)('for %o has tables and scratch of its own for all', (threading) => {
    const layout = layOut(SORT, 3_000_001, 1, threading);
    const { slices } = layout;
    const table = 2 * 4 * 2 ** PARTITION_BITS;
    const rows = [0, 1].flatMap((t) =>
      Array.from({ length: slices }, (_, slice) => spineRowAt(layout, slice, t)),
    );
    expect(rows).toEqual(rows.map((_, i) => layout.spineAt + i * table));
    expect(surveyAt(layout, 0)).toBe(layout.surveysAt);
    expect(surveyAt(layout, slices)).toBeLessThanOrEqual(layout.spineAt);
    for (let thread = 0; thread < layout.threads; thread++) {
      const { job, order, bucketOrders, cursors, bucketBounds, counters, aside } = scratchOf(
        layout,
        thread,
      );
      const at = [job, order, ...bucketOrders, cursors, bucketBounds, counters, counters + 98_304];
      expect(at).toEqual([...at].sort((a, b) => a - b));
      expect(new Set(at).size).toBe(at.length);
      expect(bucketBounds - cursors).toBe(table);
      expect(counters - bucketBounds).toBeGreaterThanOrEqual(table + 4);
      const next =
        thread + 1 < layout.threads ? scratchOf(layout, thread + 1).job : layout.asidesAt;
      expect(next - (counters + 98_304)).toBe(0);
      expect(aside).toBe(layout.asidesAt + thread * layout.asideBytes);
    }
  });

  it('cuts records into four slices a thread, and for one that pauses into 256 KiB each', () => {
    const slices = (threading: Threading, length: number, plans = SORT): number =>
      layOut(plans, length, 1, threading).slices;
    expect(slices(AT_ONCE, 10 * MiB)).toBe(1);
    expect(slices(threads(2), 10)).toBe(8);
    expect(slices(threads(3), 10 * MiB)).toBe(12);
    expect([0, 1, MiB / 16, MiB / 16 + 1, MiB].map((n) => slices(PAUSING, n))).toEqual([
      1, 1, 1, 2, 16,
    ]);
    expect(slices(PAUSING, MiB, WIDE_ROWS)).toBe(64);
  });

  it.each(THREADINGS)(
    'for %o: slices cover a range, none by much more than others',
    (threading) => {
      const layout = layOut(SORT, 3_000_001, 1, threading);
      for (const [start, end] of [
        [0, 3_000_001],
        [5, 5],
        [7, 8],
        [100, 1_000_000],
      ] as const) {
        const count = slicesIn(layout, start, end);
        const all = Array.from({ length: count }, (_, slice) => sliceOf(layout, slice, start, end));
        let at = start;
        for (const [first, n] of all) {
          expect(first).toBe(at);
          at += n;
        }
        expect(at).toBe(end);
        const sizes = all.map(([, n]) => n);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        if (threading.pauses)
          expect(count).toBe(Math.max(1, Math.ceil((end - start) / (MiB / 16))));
        else expect(count).toBe(layout.slices);
      }
    },
  );

  it('partitions what a thread alone cannot hold in its caches, and what several can share', () => {
    const from = (threading: Threading, plans: typeof SORT): number =>
      layOut(plans, 1e6, 1, threading).partitionFrom;
    for (const alone of [AT_ONCE, PAUSING]) {
      expect(Object.values(PLANS).map((plans) => from(alone, plans))).toEqual(
        [4, 8, 8, 16, 16].map((stride) => MiB / stride),
      );
    }
    for (const plans of Object.values(PLANS)) expect(from(threads(2), plans)).toBe(65_536);
  });

  it('calls a bucket oversized that is more than a share, or than the caches hold', () => {
    const from = (length: number, threading: Threading, plans = SORT): number =>
      layOut(plans, length, 1, threading).oversizedFrom;
    expect(from(100, AT_ONCE)).toBe(65_536);
    expect(from(131_072, threads(2))).toBe(65_536);
    expect(from(131_073, threads(2))).toBe(65_537);
    expect(from(1_000_001, threads(4))).toBe(250_001);
    expect(from(1e8, threads(4))).toBe(MiB);
    expect(from(1e8, threads(4), WIDE_ROWS)).toBe(MiB / 4);
    expect(from(1e8, AT_ONCE)).toBe(MiB);
    expect(from(1e8, PAUSING)).toBe(MiB / 4);
    expect(from(1, PAUSING, WIDE_ROWS)).toBe(MiB / 16);
  });

  it('has short runs sorted by the piece', () => {
    const of = (length: number, threading: Threading): number =>
      layOut(SORT, length, 1, threading).pieceRecords;
    expect([0, 1, 2, 1e6].map((length) => of(length, AT_ONCE))).toEqual([1, 1, 2, 1e6]);
    expect([1, 1e6].map((length) => of(length, PAUSING))).toEqual([65_536, 65_536]);
    expect([1, 1e6].map((length) => of(length, threads(2)))).toEqual([16_384, 16_384]);
  });

  it('has an aside for a bucket of four times the mean, of keys alone on several threads', () => {
    const aside = (length: number, threading: Threading, plans = SORT, segments = 1): number =>
      layOut(plans, length, segments, threading).asideBytes;
    expect(aside(65_535, threads(2))).toBe(0);
    expect(aside(65_536, threads(2))).toBe(4 * 4 * 128);
    expect(aside(1_000_000, threads(2))).toBe(align(4 * Math.ceil(4e6 / 512)));
    expect(aside(1_000_000, threads(2), WIDE)).toBe(align(8 * Math.ceil(4e6 / 512)));
    // 4 MiB are the most for one, and 64 MiB for all.
    expect(aside(2 ** 28, threads(2))).toBe(4 * MiB);
    expect(aside(2 ** 28, threads(16))).toBe(4 * MiB);
    expect(aside(2 ** 28, threads(64))).toBe(MiB);
    for (const threading of [AT_ONCE, PAUSING]) expect(aside(2 ** 24, threading)).toBe(0);
    expect(aside(1_000_000, threads(2), ROWS)).toBe(0);
    expect(aside(1_000_000, threads(2), SORT, 2)).toBe(0);
  });

  it('has room for all keys that rows are chosen among where records will be', () => {
    const recordBytes = (choiceBytes: number): number => {
      const { recordsAt, spareAt } = layOut(ROWS, 1000, 1, AT_ONCE, choiceBytes);
      return spareAt - recordsAt;
    };
    expect(recordBytes(100)).toBe(recordBytes(0));
    expect(recordBytes(1e6)).toBeGreaterThanOrEqual(1e6);
  });

  it('has phases for all that may be partitioned, and again', () => {
    const phases = (length: number, threading: Threading, plans = SORT): number =>
      layOut(plans, length, 1, threading).phases;
    const digits = Math.ceil(64 / PARTITION_BITS);
    expect(phases(65_535, threads(2))).toBe(6);
    expect(phases(65_536, threads(2))).toBe(6 + digits + 4 + 4 * digits);
    expect(phases(4 * 65_536, threads(2))).toBe(6 + 4 * (digits + 4) + 2 * 4 * digits);
    expect(phases(2 ** 22, PAUSING)).toBe(6 + 64 * (digits + 4) + 16 * 4 * digits);
  });
});

describe('the most keys of an arena', () => {
  const ends = (plans: typeof SORT, segments: number, threading: Threading): void => {
    const most = maxKeys(plans, segments, threading);
    const { end } = layOut(plans, most, segments, threading);
    expect(end).toBeLessThanOrEqual(MAX_ARENA_BYTES);
    // Nor is much of the memory given away.
    expect(end).toBeGreaterThan(0.985 * MAX_ARENA_BYTES);
  };

  it.each(Object.entries(PLANS))('of %s fit, and fill it', (_, plans) => {
    for (const threading of THREADINGS) {
      for (const segments of [1, 1000, 1e8]) ends(plans, segments, threading);
    }
  });

  it('are none if the segments take it all', () => {
    expect(maxKeys(SORT, 2 ** 30, AT_ONCE)).toBe(0);
    expect(maxKeys(SORT, 2 ** 32, threads(4))).toBe(0);
  });
});

it('an arena grows by pages of 64 KiB, and only if it has to', () => {
  const page = 65_536;
  const arena = new Arena();
  const sizes = [0, 1, page, page + 1, 2 * page, page, 5 * page - 1].map((bytes) => {
    arena.reserve(bytes);
    return arena.bytes / page;
  });
  expect(sizes).toEqual([1, 1, 1, 2, 2, 2, 5]);
  for (const bytes of [MAX_ARENA_BYTES + 1, 2 ** 40]) {
    expect(() => arena.reserve(bytes)).toThrow(`no memory for ${bytes} bytes`);
  }
  expect(arena.bytes).toBe(5 * page);
  expect([0, 1, 63, 64, 65, 4096].map(align)).toEqual([0, 64, 64, 64, 128, 4096]);
});

it('memory that no machine has is told of with its cause, and none is taken', () => {
  const arena = new Arena();
  const { bytes } = arena;
  let thrown: unknown;
  try {
    arena.reserve(MAX_ARENA_BYTES + 1);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(BackendFailedError);
  expect((thrown as Error).cause).toBeInstanceOf(RangeError);
  expect(arena.bytes).toBe(bytes);
  arena.reserve(bytes);
  expect(arena.bytes).toBe(bytes);
  arena.reserve(bytes + 1);
  expect(arena.bytes).toBe(bytes + 65_536);
});
