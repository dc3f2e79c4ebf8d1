/** What sorts are expected to cost, in time and memory, by built-in and by measured figures. */

import {
  type BackendName,
  KEY_TYPES,
  type KeyType,
  plainShape,
  type RequestShape,
} from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { thisMachine } from '../../dist/machine/machine-node.js';
import { builtInCosts } from '../../dist/plan/built-in-costs.js';
import {
  coldMilliseconds,
  correctionsOf,
  type Estimate,
  modelled,
  warmMilliseconds,
} from '../../dist/plan/cost.js';
import { memoryFor } from '../../dist/plan/memory.js';
import { planRequest } from '../../dist/plan/plan.js';
import type { Candidate } from '../../dist/plan/types.js';

const machine = thisMachine();

const estimate = (name: BackendName, changes: Partial<Estimate> = {}): Estimate => {
  const costs = builtInCosts(name, machine, undefined);
  return { costs, corrections: undefined, start: costs.start, ...changes };
};

describe('costs', () => {
  it.each(['wasm', 'plain', 'interpreted'] as const)(
    'rise with the length for every type, operation and backend (%s)',
    (kernels) => {
      for (const name of ['builtin', 'cpu', 'webgpu', 'webgl2'] as const) {
        for (const operation of ['sort', 'sortPairs', 'argsort'] as const) {
          for (const keyType of KEY_TYPES) {
            let before = 0;
            for (let length = 0; length < 2 ** 30; length = Math.ceil(length * 1.3) + 1) {
              const costs = builtInCosts(name, { ...machine, kernels }, undefined);
              const shape = plainShape(operation, keyType, length);
              const cost = warmMilliseconds({ costs, corrections: undefined, start: 0 }, shape);
              expect(cost, `${operation} of ${length} ${keyType} by ${name}`).toBeGreaterThan(
                before,
              );
              before = cost;
            }
          }
        }
      }
    },
  );

  it.each([
    ['V8', false, ['cpu', 'cpu', 'cpu', 'cpu']],
    // Bun before 1.4.1, and Safari.
    ['JavaScriptCore', false, ['cpu', 'cpu', 'cpu', 'cpu']],
    ['JavaScriptCore', true, ['builtin', 'cpu', 'cpu', 'builtin']],
    ['SpiderMonkey', true, ['builtin', 'cpu', 'cpu', 'builtin']],
  ] as const)('are those of %s, with a radix sort: %s', (engine, hasRadixSort, best) => {
    const warm = (name: BackendName, keyType: KeyType, length: number): number => {
      const costs = builtInCosts(name, { ...machine, engine, hasRadixSort, cores: 2 }, undefined);
      const known = { costs, corrections: undefined, start: 0 };
      return warmMilliseconds(known, plainShape('sort', keyType, length));
    };
    const chosen = ([keyType, length]: readonly [KeyType, number]): BackendName =>
      warm('builtin', keyType, length) < warm('cpu', keyType, length) ? 'builtin' : 'cpu';
    const requests = [
      ['i32', 30_000],
      ['u64', 10_000],
      ['f64', 1_000_000],
      ['i8', 100_000],
    ] as const;
    expect(requests.map(chosen)).toEqual(best);
  });

  // As the records of these browsers have it, and the built-in radix sort of Firefox.
  it.each([
    ['SpiderMonkey', true, 'builtin'],
    ['SpiderMonkey', false, 'builtin'],
    ['JavaScriptCore', true, 'cpu'],
    ['JavaScriptCore', false, 'cpu'],
  ] as const)('are those of pages in %s, isolated: %s', (engine, sharesMemory, ofIntegers) => {
    const page = { ...machine, isNode: false, engine, sharesMemory, cores: 2 };
    const best = (keyType: KeyType, length: number): BackendName => {
      const [own, ours] = (['builtin', 'cpu'] as const).map((name) => {
        const hasRadixSort = engine === 'SpiderMonkey';
        const costs = builtInCosts(name, { ...page, hasRadixSort }, undefined);
        const known = { costs, corrections: undefined, start: 0 };
        return warmMilliseconds(known, plainShape('sort', keyType, length));
      }) as [number, number];
      return own < ours ? 'builtin' : 'cpu';
    };
    expect(best('u32', 1_000_000)).toBe(ofIntegers);
    expect(best('u8', 3162)).toBe(ofIntegers);
    expect(best('f64', 1_000_000)).toBe('cpu');
    // As integers.
    expect(best('f32', 1_000_000)).toBe(ofIntegers);
  });

  // By the processor's time of pages' main threads, in which Firefox sorts 10^6 doubles in 60 ms
  // and kernels that nothing has compiled yet in 33, and WebKit in 68 and 65.
  it.each([
    ['SpiderMonkey', 100_000, 'builtin'],
    ['SpiderMonkey', 1_000_000, 'cpu'],
    ['JavaScriptCore', 300_000, 'builtin'],
    ['JavaScriptCore', 2_000_000, 'cpu'],
  ] as const)(
    'send the first sort of a page in %s of %i doubles to %s',
    (engine, length, first) => {
      const page = { ...machine, isNode: false, engine, sharesMemory: true, cores: 2 };
      const shape = plainShape('sort', 'f64', length);
      const times = (['builtin', 'cpu'] as const).map((name) => {
        const hasRadixSort = engine === 'SpiderMonkey';
        const costs = builtInCosts(name, { ...page, hasRadixSort }, undefined);
        const known = { costs, corrections: undefined, start: costs.start };
        return coldMilliseconds(known, shape) + costs.start;
      }) as [number, number];
      expect(times[0] < times[1] ? 'builtin' : 'cpu').toBe(first);
    },
  );

  it.each([
    ['wasm', ['cpu', 'cpu', 'cpu', 'cpu', 'cpu']],
    ['plain', ['cpu', 'builtin', 'builtin', 'cpu', 'cpu']],
    ['interpreted', ['builtin', 'builtin', 'builtin', 'builtin', 'builtin']],
  ] as const)('are those of %s kernels, before any probe and after', (kernels, best) => {
    const probe = {
      available: true,
      capabilities: { description: 'made up', software: false, threads: 1, kernels: 'plain' },
    } as const;
    const probes = kernels === 'wasm' ? [undefined] : [undefined, probe];
    for (const found of probes) {
      const warm = (name: BackendName, shape: RequestShape): number => {
        const costs = builtInCosts(name, { ...machine, kernels }, found);
        return warmMilliseconds({ costs, corrections: undefined, start: 0 }, shape);
      };
      const shapes = [
        plainShape('sort', 'u32', 1_000_000),
        plainShape('sort', 'i64', 1_000_000),
        plainShape('sort', 'f64', 300_000),
        plainShape('sort', 'u8', 100_000),
        plainShape('argsort', 'f32', 100_000),
      ];
      const chosen = shapes.map((shape) =>
        warm('builtin', shape) < warm('cpu', shape) ? 'builtin' : 'cpu',
      );
      expect(chosen).toEqual(best);
    }
    // A machine with WebAssembly whose backend was told to do without.
    expect(builtInCosts('cpu', { ...machine, kernels: 'wasm' }, probe).of).toMatch(/^plain/);
  });

  it('follow measurements: exact at measured lengths, interpolated between, held beyond', () => {
    const { costs } = estimate('cpu');
    const model = (length: number): number => modelled(costs, plainShape('sort', 'u32', length));
    const times = {
      'sort u32': [
        [2 ** 10, 3 * model(2 ** 10)],
        [2 ** 14, 12 * model(2 ** 14)],
      ],
    } as const;
    const corrected = estimate('cpu', { corrections: correctionsOf(costs, times) });
    const ratio = (length: number): number =>
      warmMilliseconds(corrected, plainShape('sort', 'u32', length)) / model(length);
    expect([2 ** 8, 2 ** 10, 2 ** 12, 2 ** 14, 2 ** 20].map(ratio)).toEqual(
      [3, 3, 6, 12, 12].map((expected) => expect.closeTo(expected, 6)),
    );
    // Its like, and others less like it, go with it.
    for (const [operation, keyType] of [
      ['sort', 'i32'],
      ['sort', 'u16'],
      ['sort', 'f64'],
    ] as const) {
      const shape = plainShape(operation, keyType, 2 ** 10);
      expect(warmMilliseconds(corrected, shape) / modelled(costs, shape)).toBeCloseTo(3);
    }
  });

  it('include the comparator that key bits need, and segments', () => {
    const plain = plainShape('sort', 'u32', 2 ** 20);
    const bits: RequestShape = { ...plain, keyBits: { begin: 0, end: 8 } };
    expect(modelled(estimate('builtin').costs, bits)).toBeGreaterThan(
      3 * modelled(estimate('builtin').costs, plain),
    );
    expect(modelled(estimate('cpu').costs, bits)).toBe(modelled(estimate('cpu').costs, plain));
    const segmented = { ...plain, segmentCount: 2 ** 10 };
    expect(modelled(estimate('builtin').costs, segmented)).toBeLessThan(
      modelled(estimate('builtin').costs, plain),
    );
  });
});

describe('memory', () => {
  const candidate = (name: BackendName, heldBytes = 0): Candidate => ({
    backend: { name, maxLength: () => 2 ** 32 },
    probe: undefined,
    estimate: estimate(name),
    isWarm: true,
    startUp: 0,
    restsFor: 0,
    failure: undefined,
    heldBytes,
  });
  const shape = plainShape('argsort', 'u32', 2 ** 26);
  const plan = (candidates: Candidate[], freeBytes: number) =>
    planRequest(shape, candidates, {
      profile: { name: 'a', reason: 'b' },
      allowSoftware: false,
      freeBytes,
    });

  it('that is not free refuses a backend, unless the backend holds it or is the only one', () => {
    const { kept, passing } = memoryFor('cpu', shape, undefined);
    const needed = kept + passing;
    const both = [candidate('cpu'), candidate('builtin')];
    expect(plan(both, needed).steps[0]?.backend).toBe('cpu');
    const short = plan(both, needed - 1);
    expect(short.steps.map(({ backend }) => backend)).toEqual(['builtin']);
    expect(short.refused).toEqual([
      {
        backend: 'cpu',
        reason: expect.stringMatching(/another 1281 MiB, and 1281 MiB are free/),
        milliseconds: expect.any(Number),
      },
    ]);
    const held = [candidate('cpu', 2 ** 20), candidate('builtin')];
    expect(plan(held, needed - 1).steps[0]?.backend).toBe('cpu');
    expect(plan([candidate('cpu')], 0).steps[0]?.backend).toBe('cpu');
  });
});
