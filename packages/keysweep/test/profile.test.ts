/** Profiles: measured, kept, taken again where they fit, and dropped where they do not. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type Backend,
  type BackendName,
  KEY_TYPES,
  type KeyType,
  plainShape,
  type RequestShape,
} from '@keysweep/core';
import { builtin, createSorter, type Profile } from 'keysweep';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callsFor } from '../dist/calibrate/sampling.js';
import { VERSION } from '../dist/machine/machine.js';
import { thisMachine } from '../dist/machine/machine-node.js';
import { builtInCosts } from '../dist/plan/built-in-costs.js';
import {
  coldMilliseconds,
  correctionsOf,
  type Estimate,
  modelled,
  warmMilliseconds,
} from '../dist/plan/cost.js';
import { memoryFor } from '../dist/plan/memory.js';
import { planRequest } from '../dist/plan/plan.js';
import type { Candidate } from '../dist/plan/types.js';

const machine = thisMachine();

/** A backend that takes so long for any request, and is builtin otherwise. */
const taking = (name: BackendName, milliseconds: number, description = 'made up'): Backend => ({
  ...builtin(),
  name,
  probe: async () => ({
    available: true,
    capabilities: { description, software: false, threads: 1 },
  }),
  async sort(request) {
    const end = performance.now() + milliseconds;
    while (performance.now() < end);
    return builtin().sort(request);
  },
});

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

describe('calibrate', () => {
  it('finds the quickest backend, and plans by that', async () => {
    // A clock of its own: on a busy machine time would run out before all is measured.
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const clocked = (name: BackendName, milliseconds: number): Backend => ({
      ...taking(name, 0),
      async sort() {
        now += milliseconds;
        return {
          permutation: undefined,
          milliseconds: {},
          passes: { run: 0, skipped: 0 },
          threads: 1,
          bound: 0,
        };
      },
    });
    const backends = [clocked('webgpu', 3), clocked('cpu', 0.5), clocked('builtin', 0.1)];
    const sorter = await createSorter({ backends });
    const profile = await sorter.calibrate({ milliseconds: 600 });
    expect(JSON.parse(JSON.stringify(profile))).toEqual(profile);
    expect(profile.key).toEqual({
      library: VERSION,
      runtime: `Node.js ${process.versions.node}`,
      engine: 'V8',
      kernels: 'wasm',
      cores: machine.cores,
      sharesMemory: true,
      adapter: 'made up',
    });
    const { times } = profile.backends.cpu as NonNullable<Profile['backends']['cpu']>;
    expect(times['sort f64']).toContainEqual([2048, expect.closeTo(0.5, 9)]);
    const plan = sorter.plan({ keyType: 'f64', length: 2048 });
    expect(plan.steps[0]?.backend).toBe('builtin');
    const other = plan.steps.find(({ backend }) => backend === 'cpu');
    expect(other?.milliseconds).toBeCloseTo(0.5, 9);
    expect(plan.profile).toEqual({
      name: `measured ${profile.date}`,
      reason: expect.stringContaining('on this machine'),
    });

    const again = await createSorter({ backends, profile: JSON.parse(JSON.stringify(profile)) });
    expect(again.plan({ keyType: 'f64', length: 2048 }).profile).toEqual(plan.profile);
    expect(await again.profile()).toMatchObject({ backends: profile.backends });
    await expect(sorter.calibrate({ milliseconds: 0 })).rejects.toThrow(/milliseconds must be/);
    await expect(sorter.calibrate(5 as never)).rejects.toThrow(
      /options must be an object, got the/,
    );
    await sorter.close();
    await expect(sorter.calibrate()).rejects.toThrow(/closed/);
  });
});

describe('calibrate by a clock that ticks in 100 ms', () => {
  it('leaves out what takes no time by that clock, and makes a profile that is taken', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => 100 * Math.floor(now / 100));
    onTestFinished(() => void vi.restoreAllMocks());
    const ticking: Backend = {
      ...taking('cpu', 0),
      async sort({ shape }) {
        now += shape.length / 2 ** 14;
        return {
          permutation: undefined,
          milliseconds: {},
          passes: { run: 0, skipped: 0 },
          threads: 1,
          bound: 0,
        };
      },
    };
    const backends = [ticking];
    const profile = await (await createSorter({ backends })).calibrate({ milliseconds: 60_000 });
    const again = await createSorter({ backends, profile });
    expect(again.plan({ keyType: 'u32', length: 10 }).profile.name).toMatch(/^measured/);
    const points = Object.values(profile.backends.cpu?.times ?? {}).flat();
    expect(points.length).toBeGreaterThan(0);
    // A tick and more each: what a sample took may be one tick more or less.
    for (const [length, milliseconds] of points) {
      const ratio = milliseconds / (length / 2 ** 14);
      expect(ratio).toBeGreaterThan(0.5);
      expect(ratio).toBeLessThan(2);
    }
  });

  it('makes few arrays at a time where they are long', () => {
    expect(callsFor(0, 2 ** 10)).toBe(100);
    expect(callsFor(0.1, 2 ** 10)).toBe(10);
    for (const bytes of [2 ** 22, 2 ** 25, 2 ** 40]) {
      const calls = callsFor(0, bytes);
      expect(calls).toBeGreaterThanOrEqual(1);
      expect((calls - 1) * bytes).toBeLessThan(2 ** 26);
    }
  });
});

it('calibrate gives a failing backend no figures, and lets it rest', async () => {
  const sort = async (): Promise<never> => {
    throw new Error('it broke');
  };
  const sorter = await createSorter({ backends: [{ ...taking('cpu', 0), sort }, builtin()] });
  const { backends } = await sorter.calibrate({ milliseconds: 1 });
  expect(Object.keys(backends)).toEqual(['builtin']);
  const { refused } = sorter.plan({ keyType: 'u32', length: 1e6 });
  expect(refused[0]?.reason).toMatch(/^it rests .* it broke/);
});

describe('a profile', () => {
  const reasonFor = async (profile: unknown): Promise<string> => {
    const sorter = await createSorter({ profile: profile as Profile });
    return sorter.plan({ keyType: 'u32', length: 10 }).profile.reason;
  };

  it('of another machine is ignored, and the plan says why', async () => {
    const profile = await (await createSorter()).profile();
    expect(await reasonFor(profile)).toMatch(/^on this machine/);
    const withKey = (key: object): unknown => ({ ...profile, key: { ...profile.key, ...key } });
    const others = {
      library: ['0.0.9', 'keysweep'],
      runtime: ['Chrome 1', 'runtime'],
      engine: ['unknown', 'engine'],
      kernels: ['plain', 'kind of kernels'],
      cores: [99, 'cores'],
      sharesMemory: [false, 'sharing'],
    } as const;
    // Every field; the GPU is looked at once it was probed.
    expect(Object.keys({ ...others, adapter: null })).toEqual(Object.keys(profile.key));
    for (const [field, [value, label]] of Object.entries(others)) {
      const mine = profile.key[field as keyof typeof others];
      expect(await reasonFor(withKey({ [field]: value }))).toMatch(
        `not used: it was measured with another ${label}: ${value}, not ${mine}`,
      );
      expect(await reasonFor(withKey({ [field]: undefined })), field).toMatch(/not used/);
    }
    expect(await reasonFor(withKey({ adapter: 1 }))).toMatch(/no profile of version 1/);
    for (const broken of [
      null,
      [],
      'profile',
      { ...profile, version: 2 },
      { ...profile, backends: { cpu: {} } },
      { ...profile, backends: { cpu: { times: {}, start: -1 } } },
      {
        ...profile,
        backends: {
          cpu: {
            times: {
              'sort u32': [
                [2, 1],
                [1, 1],
              ],
            },
          },
        },
      },
      { ...profile, backends: { cpu: { times: { 'sort u33': [] } } } },
      { ...profile, backends: { cpu: { times: { 'resort u32': [] } } } },
      { ...profile, backends: { cpu: { times: { 'sort u321': [] } } } },
      { ...profile, backends: { cpu: { times: { 'sort u32': {} } } } },
      ...[1, null, [1], ['1', 1], [1, '1'], [0, 1], [1, -1], [1, Number.NaN]].map((point) => ({
        ...profile,
        backends: { cpu: { times: { 'sort u32': [point] } } },
      })),
    ]) {
      expect(await reasonFor(broken)).toMatch(/not used: it is no profile of version 1/);
    }
  });

  it('of another GPU is dropped once the GPU was probed', async () => {
    const known = await (await createSorter()).profile();
    const profile: Profile = { ...known, key: { ...known.key, adapter: 'another GPU' } };
    const sorter = await createSorter({ backends: [taking('webgpu', 0), builtin()], profile });
    const reason = (): string => sorter.plan({ keyType: 'u32', length: 10 }).profile.reason;
    expect(reason()).toMatch(/^on this machine/);
    await sorter.capabilities();
    expect(reason()).toMatch(/of another GPU: another GPU, not made up/);
  });

  it('has the version of the package', () => {
    const file = fileURLToPath(new URL('../package.json', import.meta.url));
    expect(VERSION).toBe(JSON.parse(readFileSync(file, 'utf8')).version);
  });
});
