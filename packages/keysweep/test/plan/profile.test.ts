/** Profiles: how they are measured, and whether one fits. */

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Backend, BackendName } from '@keysweep/core';
import { builtin, createSorter, type Profile } from 'keysweep';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { callsFor } from '../../dist/calibrate/sampling.js';
import { VERSION } from '../../dist/machine/machine.js';
import { thisMachine } from '../../dist/machine/machine-node.js';

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
    const file = fileURLToPath(new URL('../../package.json', import.meta.url));
    expect(VERSION).toBe(JSON.parse(readFileSync(file, 'utf8')).version);
  });
});
