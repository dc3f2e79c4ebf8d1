/** What sorts cost in time and in memory, by figures made up here. */

import {
  type BackendName,
  KEY_TYPES,
  type KeyBits,
  type KeyType,
  keyTraits,
  type RequestShape,
} from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { builtInCosts } from '../../dist/plan/built-in-costs.js';
import {
  type Costs,
  coldMilliseconds,
  correctionsOf,
  modelled,
  warmMilliseconds,
} from '../../dist/plan/cost.js';
import { isInParts, memoryFor } from '../../dist/plan/memory.js';
import { costs, shape } from '../made-up.js';

const BITS: KeyBits = { begin: 3, end: 8 };

/** Nanoseconds a key, of 1,000 keys. */
const perKey = (figures: Partial<Costs>, one: RequestShape): number =>
  Math.round((modelled(costs(figures), one) * 1e6) / one.length);

describe('modelled milliseconds', () => {
  const thousand = (
    operation: RequestShape['operation'],
    keyType: KeyType,
    more: Partial<RequestShape> = {},
  ) => shape(operation, keyType, 1000, more);

  it('are the time a call and the time a key', () => {
    expect(modelled(costs({ fixed: 2 }), shape('sort', 'u32', 0))).toBe(2);
    expect(modelled(costs({ fixed: 2 }), shape('sort', 'u32', 1e6))).toBeCloseTo(102, 9);
  });

  it('know keys alone from rows, and rows that are compared', () => {
    const figures = { compared: Array(7).fill(3000) };
    expect(perKey(figures, thousand('sort', 'u32'))).toBe(100);
    expect(perKey(figures, thousand('argsort', 'u32'))).toBe(1000);
    expect(perKey(figures, thousand('sortPairs', 'u32'))).toBe(1000);
    expect(perKey(figures, thousand('argsort', 'u32', { keyBits: BITS }))).toBe(3000);
    expect(perKey({}, thousand('argsort', 'u32', { keyBits: BITS }))).toBe(1000);
    // Two columns weigh twice as much.
    const two = thousand('argsort', 'u32', { keyTypes: ['u32', 'u32'] });
    expect(perKey(figures, two)).toBe(6000);
    // Bits take a comparator in the runtime's own sort, and in no other.
    const bits = thousand('sort', 'u32', { keyBits: BITS });
    expect(perKey({ ...figures, backend: 'builtin' }, bits)).toBe(3000);
    expect(perKey(figures, bits)).toBe(100);
  });

  it('weigh keys by their width and kind', () => {
    const figures = { keyWeights: [2, 3, 5, 7], rowWeights: [11, 13, 17, 19] } as const;
    for (const keyType of KEY_TYPES) {
      const { bits, kind } = keyTraits(keyType);
      const at = { 8: 0, 16: 1, 64: 2 }[bits as number];
      const weight = (weights: readonly number[]): number =>
        (at === undefined ? 1 : (weights[at] as number)) *
        (kind === 'float' ? (weights[3] as number) : 1);
      expect(perKey(figures, thousand('sort', keyType))).toBe(100 * weight(figures.keyWeights));
      expect(perKey(figures, thousand('argsort', keyType))).toBe(1000 * weight(figures.rowWeights));
    }
    // Sixteen bits of 32 are counted by the CPU's backend as keys of sixteen bits.
    const precise = thousand('argsort', 'f32', { precision: 16 });
    expect(perKey(figures, precise)).toBe(13_000);
    expect(perKey({ ...figures, backend: 'webgpu' }, precise)).toBe(19_000);
    expect(perKey(figures, { ...precise, keyTypes: ['f64'] })).toBe(17 * 19 * 1000);
  });

  it('may be given by type, for keys alone', () => {
    const figures = { types: { u64: Array(7).fill(40) }, keyWeights: [9, 9, 9, 9] } as const;
    for (const keyType of ['u64', 'i64'] as const) {
      expect(perKey(figures, thousand('sort', keyType))).toBe(40);
      expect(perKey(figures, thousand('argsort', keyType))).toBe(1000);
    }
    expect(perKey(figures, thousand('sort', 'f64'))).toBe(8100);
  });

  it('count bytes that are moved: words of four bytes or eight, there and back', () => {
    const figures = { keys: Array(7).fill(0), rows: Array(7).fill(0), transfer: 1 };
    // 0 ns a key make the interpolation 0 / 0.
    const moved = (one: RequestShape): number =>
      perKey({ ...figures, keys: Array(7).fill(1e-9), rows: Array(7).fill(1e-9) }, one);
    expect(moved(thousand('sort', 'u8'))).toBe(8);
    expect(moved(thousand('sort', 'u32'))).toBe(8);
    expect(moved(thousand('sort', 'f64'))).toBe(16);
    expect(moved(thousand('argsort', 'u32'))).toBe(8);
    expect(moved(thousand('argsort', 'f64'))).toBe(12);
    expect(moved(thousand('sortPairs', 'u32', { valueBytes: 4 }))).toBe(16);
    expect(moved(thousand('sortPairs', 'u16', { valueBytes: 8 }))).toBe(24);
    expect(moved(thousand('argsort', 'u32', { keyTypes: ['u32', 'f64'] }))).toBe(16);
  });

  it('are interpolated by logarithms between lengths of runs', () => {
    const keys = [1, 2, 4, 8, 16, 32, 64].map((n) => 1000 * n);
    const at = (length: number, segmentCount = 1): number =>
      perKey({ keys }, shape('sort', 'u32', length, { segmentCount }));
    expect(
      [2 ** 7, 2 ** 10, 2 ** 14, 2 ** 17, 2 ** 20, 2 ** 23, 2 ** 26].map((n) => at(n)),
    ).toEqual(keys);
    // Half way between two lengths by their logarithms.
    expect(at(2 ** 12)).toBe(Math.round(2000 * Math.SQRT2));
    expect([at(1), at(100)]).toEqual([1000, 1000]);
    expect(at(2 ** 30)).toBe(64_000);
    // Segments cost what arrays of their length do.
    expect(at(2 ** 20, 2 ** 10)).toBe(2000);
    expect(at(2 ** 10, 2 ** 12)).toBe(1000);
  });

  it('are more for a request in parts', () => {
    const figures = { parts: [20, 30] as const, keyWeights: [1, 1, 2, 1] as const };
    const huge = shape('sort', 'u64', 2 ** 29);
    expect(isInParts(huge)).toBe(true);
    expect(perKey(figures, huge)).toBe(2 * 120);
    expect(perKey(figures, { ...huge, operation: 'argsort' })).toBe(1030);
    expect(perKey(figures, shape('sort', 'u64', 2 ** 20))).toBe(200);
  });

  it('are corrected by what was measured of this class, or of one like it', () => {
    const figures = costs({ cold: 3 });
    const estimate = (measured: Record<string, (readonly [number, number])[]>) => ({
      costs: figures,
      corrections: correctionsOf(figures, measured),
      start: 8,
    });
    const factor = (
      of: ReturnType<typeof estimate>,
      operation: RequestShape['operation'],
      keyType: KeyType,
      length = 1024,
    ): number => {
      const one = shape(operation, keyType, length);
      return Number((warmMilliseconds(of, one) / modelled(figures, one)).toFixed(6));
    };
    const time = (operation: RequestShape['operation'], keyType: KeyType, by: number) =>
      [[1024, by * modelled(figures, shape(operation, keyType, 1024))]] as [[number, number]];
    const of = estimate({
      'sort u32': time('sort', 'u32', 2),
      'sort f32': time('sort', 'f32', 3),
      'sort f64': time('sort', 'f64', 5),
      'argsort u32': time('argsort', 'u32', 7),
      'sort u8': [],
    });
    expect(factor(of, 'sort', 'u32')).toBe(2);
    expect(factor(of, 'sort', 'i32')).toBe(2);
    expect(factor(of, 'sort', 'u8')).toBe(2);
    expect(factor(of, 'sort', 'f32')).toBe(3);
    expect(factor(of, 'sort', 'f16')).toBe(3);
    expect(factor(of, 'sort', 'f64')).toBe(5);
    expect(factor(of, 'sort', 'u64')).toBe(5);
    expect(factor(of, 'argsort', 'u32')).toBe(7);
    expect(factor(of, 'sortPairs', 'u32')).toBe(7);
    expect(factor(of, 'argsort', 'f64')).toBe(7);
    expect(factor(estimate({ 'sort f64': time('sort', 'f64', 5) }), 'argsort', 'u32')).toBe(1);
    expect(factor(estimate({ 'sort f64': time('sort', 'f64', 5) }), 'sort', 'u32')).toBe(1);
    const pairs = estimate({ 'sortPairs f64': time('sortPairs', 'f64', 4) });
    expect(factor(pairs, 'argsort', 'u64')).toBe(4);
    // Between two lengths, and beyond them.
    const measured = (length: number, by: number): [number, number] => [
      length,
      by * modelled(figures, shape('sort', 'u32', length)),
    ];
    const two = estimate({ 'sort u32': [measured(2 ** 10, 1), measured(2 ** 14, 16)] });
    expect(
      [2 ** 8, 2 ** 10, 2 ** 12, 2 ** 14, 2 ** 16].map((n) => factor(two, 'sort', 'u32', n)),
    ).toEqual([1, 1, 4, 16, 16]);
    expect(warmMilliseconds(two, shape('sort', 'u32', 0))).toBe(0);
    const one = shape('sort', 'u32', 1024);
    expect(coldMilliseconds(of, one)).toBe(3 * warmMilliseconds(of, one));
    const plain = { costs: costs(), corrections: undefined, start: 8 };
    expect(coldMilliseconds(plain, one)).toBe(warmMilliseconds(plain, one));
  });
});

describe('memory of the host', () => {
  const n = 1000;
  const both = (backend: BackendName, one: RequestShape, plain = false) => {
    const capabilities = { description: '', software: false, threads: 1 };
    const kernels = plain ? ('plain' as const) : ('wasm' as const);
    const { kept, passing } = memoryFor(backend, one, {
      available: true,
      capabilities: { ...capabilities, kernels },
    });
    return [kept / n, passing / n];
  };

  it.each([
    ['sort', 'u32', {}, [8, 0]],
    ['sort', 'f64', {}, [16, 0]],
    ['sortPairs', 'u32', { valueBytes: 4 }, [16, 0]],
    ['sortPairs', 'u32', { valueBytes: 8 }, [32, 0]],
    ['argsort', 'u32', {}, [16, 4]],
    ['argsort', 'u64', {}, [32, 4]],
    ['argsort', 'u32', { keyTypes: ['u32', 'f64'] }, [36, 4]],
  ] as const)('of %s by %s %o in an arena', (operation, keyType, more, [kept, passing]) => {
    // The offset of a segment takes four bytes.
    const one = shape(operation, keyType, n, more as Partial<RequestShape>);
    expect(both('cpu', one)).toEqual([kept + 0.004, passing]);
    const segments = both('cpu', { ...one, segmentCount: n });
    expect(segments).toEqual([kept + 4, passing]);
  });

  it('of short keys that are counted is the memory of their counters', () => {
    const counters = 2 ** 20 / n;
    for (const plain of [false, true]) {
      expect(both('cpu', shape('sort', 'u8', n), plain)).toEqual([0, counters]);
      expect(both('cpu', shape('sort', 'f16', n), plain)).toEqual([0, counters]);
      for (const more of [{ keyBits: BITS }, { segmentCount: 2 }] as Partial<RequestShape>[]) {
        expect(both('cpu', shape('sort', 'u8', n, more), plain)[1]).not.toBe(counters);
      }
    }
  });

  it.each([
    ['sort', 'u32', {}, 12],
    ['sort', 'f64', {}, 24],
    ['sort', 'u32', { segmentCount: 2 }, 20],
    ['sortPairs', 'u32', { valueBytes: 4 }, 20],
    ['argsort', 'u16', {}, 12],
    ['argsort', 'u32', { keyTypes: ['u32', 'f64'] }, 20],
  ] as const)('of %s by %s %o in plain TypeScript', (operation, keyType, more, bytes) => {
    const one = shape(operation, keyType, n, more as Partial<RequestShape>);
    expect(both('cpu', one, true)).toEqual([0, bytes]);
  });

  it('of other backends goes by what they stage', () => {
    const rows = shape('argsort', 'u32', n);
    expect(both('webgl2', shape('sort', 'u32', n))).toEqual([24, 0]);
    expect(both('webgl2', shape('sort', 'u64', n))).toEqual([44, 0]);
    expect(both('webgl2', rows)).toEqual([44, 0]);
    expect(both('builtin', shape('sort', 'u32', n))).toEqual([0, 0]);
    expect(both('builtin', rows)).toEqual([0, 16]);
    expect(both('builtin', { ...rows, keyTypes: ['u32', 'u32'] })).toEqual([0, 8]);
    expect(both('builtin', shape('sort', 'u64', n, { keyBits: BITS }))).toEqual([0, 12]);
    expect(both('builtin', shape('sortPairs', 'u16', n, { valueBytes: 8 }))).toEqual([0, 22]);
    expect(both('builtin', { ...rows, length: 2 ** 23 })[1]).toBe((16 * 2 ** 23) / n);
    expect(both('builtin', { ...rows, length: 2 ** 23 + 1 })[1]).toBe((8 * (2 ** 23 + 1)) / n);
  });

  it('of a request in parts is the memory of a part and of its sources', () => {
    const quarter = 2 ** 30;
    const keys = shape('sort', 'u32', 2 ** 29);
    expect(isInParts({ ...keys, length: 2 ** 29 - 1 })).toBe(false);
    expect(isInParts(keys)).toBe(true);
    expect(isInParts(shape('sort', 'u8', 2 ** 31))).toBe(false);
    const probe = undefined;
    expect(memoryFor('cpu', keys, probe)).toEqual({ kept: quarter, passing: 4 * 2 ** 29 });
    const pairs = shape('sortPairs', 'u32', 2 ** 29, { valueBytes: 4 });
    expect(memoryFor('cpu', pairs, probe)).toEqual({ kept: quarter, passing: 8 * 2 ** 29 });
    const rows = shape('argsort', 'u64', 2 ** 29);
    const copies = (quarter / 32) * (8 + 8);
    expect(memoryFor('cpu', rows, probe)).toEqual({ kept: quarter, passing: 4 * 2 ** 29 + copies });
  });
});

describe('built-in figures', () => {
  const anyOf = <T>(lists: readonly (readonly T[])[]): T[][] =>
    lists.reduce<T[][]>(
      (rows, list) => rows.flatMap((row) => list.map((one) => [...row, one])),
      [[]],
    );

  const MACHINES = anyOf<unknown>([
    ['V8', 'SpiderMonkey', 'JavaScriptCore'],
    [true, false],
    [true, false],
    [true, false],
    ['wasm', 'plain', 'interpreted'],
    [1, 2, 16],
  ]).map(([engine, isNode, hasRadixSort, sharesMemory, kernels, cores]) => {
    return { engine, isNode, hasRadixSort, sharesMemory, kernels, cores } as never;
  });
  const found = (capabilities: object) =>
    ({ available: true, capabilities: { description: 'it', ...capabilities } }) as never;
  const PROBES = [
    undefined,
    found({ software: true }),
    found({ software: false, threads: 1 }),
    found({ software: false, threads: 4, kernels: 'wasm' }),
    found({ software: false, kernels: 'plain' }),
    found({ software: false, description: 'Intel UHD' }),
  ];

  it('are whole on every kind of machine: times above 0 that grow with the keys', () => {
    const seen = new Map<string, Costs>();
    for (const machine of MACHINES) {
      for (const probe of PROBES) {
        for (const name of ['builtin', 'cpu', 'webgpu', 'webgl2'] as const) {
          const figures = builtInCosts(name, machine, probe);
          expect(figures.backend).toBe(name);
          seen.set(JSON.stringify(figures), figures);
        }
      }
    }
    const sources = new Set<string>();
    for (const figures of seen.values()) {
      const { of, keys, rows, compared = keys, types = {}, keyWeights, rowWeights } = figures;
      sources.add(of);
      expect(of).toMatch(/measured|guess/);
      for (const times of [keys, rows, compared, ...Object.values(types)]) {
        expect([of, times.length]).toEqual([of, 7]);
        expect(Math.min(...times), of).toBeGreaterThan(0);
      }
      for (const weights of [keyWeights, rowWeights]) {
        expect(weights, of).toHaveLength(4);
        expect(Math.min(...weights), of).toBeGreaterThan(0);
      }
      expect(Object.keys(types).every((type) => KEY_TYPES.includes(type as KeyType))).toBe(true);
      for (const operation of ['sort', 'argsort'] as const) {
        const times = [10, 1e3, 1e5, 1e7].map((n) => modelled(figures, shape(operation, 'f32', n)));
        expect(times.every(Number.isFinite), of).toBe(true);
        expect(times, of).toEqual(times.toSorted((a, b) => a - b));
      }
    }
    // Each has a source of its own.
    expect(sources.size).toBe(19);
  });

  it('take a graphics card for integrated by its name, and threads by their number', () => {
    const machine = { engine: 'V8', isNode: true, sharesMemory: true, kernels: 'wasm', cores: 16 };
    const of = (description: string): string =>
      builtInCosts('webgpu', machine as never, found({ description })).of;
    const integrated = ['Intel Iris Xe', 'Apple M2', 'Qualcomm Adreno', 'Mali-G78', 'an arm gpu'];
    for (const name of integrated) expect(of(name)).toMatch(/integrated/);
    for (const name of ['NVIDIA H200', 'AMD Radeon', 'charm']) expect(of(name)).toMatch(/discrete/);
    const time = (threads: number): number =>
      modelled(
        builtInCosts('cpu', machine as never, found({ threads })),
        shape('sort', 'u32', 1e7),
      );
    expect(time(16)).toBeLessThan(time(4));
    expect(time(4)).toBeLessThan(time(2));
    expect(time(2)).toBeLessThan(time(1));
  });
});
