/** The trial of a device's fast kernels: wrong ones never serve, right ones without a word. */

import './software-gpu.js';
import { Random, randomKeys, runSeed, sample } from '@keysweep/conformance/data';
import { rejection } from '@keysweep/conformance/suite';
import { BackendFailedError, plainRequest, type SortWarning } from '@keysweep/core';
import { describe, expect, it } from 'vitest';
import { drawTests } from '../../../tools/test/draw-tests.js';
import { webgpu } from '../src/backend.js';
import { RadixSorter } from '../src/sorter/radix-sorter.js';
import { tuningOf } from '../src/sorter/tuning/tuning.js';
import { BY_SAMPLING, chain, chained, createTrusted, hybrid, mapped } from './chained-devices.js';
import { fault } from './fault.js';
import { SHORTEST_OF } from './lengths.js';
import { spoil } from './spoil.js';
import { watchedAdapters } from './watched-adapters.js';

drawTests(1 / 2, ({ name }) => /lost|warns/.test(name));

const seed = runSeed();

/** Pairs of 32 bits, short enough for the shape `few`. */
const FEW_PAIRS = { keyType: 'u32', valueType: 'u32', maxCount: 4000 } as const;

/** As many keys without values. */
const FEW_KEYS = { keyType: 'u32', maxCount: 4000 } as const;
/** More than a workgroup sorts without subgroups. */
const SHORT_KEYS = { keyType: 'u32', maxCount: 9000 } as const;

const RANK = 'let place_1 = first_1 + below_1;';

/** One lane reads its counter after another one's store, for the second key of one subgroup. */
const OUT_OF_STEP = [
  RANK,
  `let isLate = number == 1u && lane == 2u && below_1 == 1u;
   let place_1 = first_1 + below_1 + select(0u, population(peers_1), isLate);`,
] as const;

const WRONG: readonly (readonly [what: string, change: readonly [string, string]])[] = [
  ['a lane is out of step', OUT_OF_STEP],
  [
    'equal digits change places',
    [RANK, 'let place_1 = first_1 + population(peers_1) - 1u - below_1;'],
  ],
  ['a kernel is refused', [RANK, 'let place_1 = nothing;']],
];

describe('a device whose fast kernels are wrong', () => {
  it.each(sample(WRONG, 1, seed))(
    'is served by the portable ones, and says so once: %s',
    async (_, change) => {
      const watched = await chained();
      spoil(watched.device, change);
      const warnings: SortWarning[] = [];
      const options = { ...FEW_PAIRS, onWarning: (warning: SortWarning) => warnings.push(warning) };
      const made = await Promise.all([
        RadixSorter.create(watched.device, options),
        RadixSorter.create(watched.device, options),
      ]);
      made.push(await RadixSorter.create(watched.device, { ...options, keyType: 'i32' }));
      expect(warnings.map(({ code }) => code)).toEqual(['gpu-not-trusted']);
      expect(warnings[0]?.cause).toBeInstanceOf(Error);
      expect(tuningOf(watched.device).chained).toBeUndefined();
      expect(await fault(watched, new Random(seed), FEW_PAIRS.maxCount, 32)).toBeUndefined();
      for (const sorter of made) sorter.destroy();
      expect(watched.liveBytes()).toBe(NUMBERS);
      await watched.assertClean();
      watched.device.destroy();
    },
  );

  it('is found where the high words of values are wrong', async () => {
    const watched = await chained();
    const high = 'targetValues[to_1] = vec2u(lowValue_1, atomicLoad(&pool[at_1]));';
    spoil(watched.device, [high, 'targetValues[to_1] = vec2u(lowValue_1, lowValue_1);']);
    const warnings: SortWarning[] = [];
    const onWarning = (warning: SortWarning): unknown => warnings.push(warning);
    const options = { keyType: 'u32', valueType: 'u64', maxCount: 4000, onWarning } as const;
    (await RadixSorter.create(watched.device, options)).destroy();
    expect(warnings.map(({ code }) => code)).toEqual(['gpu-not-trusted']);
    expect(warnings[0]?.cause).toMatchObject({
      message: expect.stringMatching(/^value .* wrong$/),
    });
    await watched.assertClean();
    watched.device.destroy();
  });

  const wrongHybrids = [
    [
      'chained',
      'batchSort',
      ['let from_1 = min(placeIn(sorted_1), BATCH - 1u);', 'let from_1 = 0u;'],
    ],
    ['chained', 'batchSort', ['let place_1 = first_1 + below_1;', 'let place_1 = first_1;']],
    ['chained', 'countBins', ['atomicAdd(&counters[binOf(lead, digit)], 1u);', '']],
    [
      'chained',
      'cutBatches',
      ['starts[to] - starts[from_]);', 'starts[to] - starts[from_] - 1u);'],
    ],
    ['chained', 'splitBins', ['let place_1 = first_1 + below_1;', 'let place_1 = first_1;']],
    // Without subgroups.
    ['portableMap', 'splitBuckets', ['sum += select(0u, rowSums[1u], 1u < row);', '']],
    ['portableMap', 'batchSort', ['peers_1 += countOneBits(vote);', '']],
  ] as const;
  /** What leaves out heavy values, of keys without values. */
  const wrongThinned = [
    ['firstSweep', ['targetKeys[targetOffset + to] = word;', '']],
    ['sweep', ['+ plan.heavy.starts[below]', '']],
    ['batchSort', ['keys[first + at] = bits;', '']],
  ] as const;

  const wrong = [
    ...sample(wrongHybrids, 2, seed).map(
      ([family, ...one]) =>
        [family, ...one, family === 'chained' ? FEW_PAIRS : SHORT_KEYS] as const,
    ),
    ...sample(wrongThinned, 1, seed).map((one) => ['chained', ...one, FEW_KEYS] as const),
  ];
  it.each(wrong)(
    'is found where a hybrid sort is wrong: %s, %s',
    async (family, kernel, change, options) => {
      const isChained = family === 'chained';
      const watched = isChained ? await chained(hybrid(false)) : await mapped(false);
      spoil(watched.device, change, kernel);
      const warnings: SortWarning[] = [];
      const onWarning = (warning: SortWarning): unknown => warnings.push(warning);
      (await RadixSorter.create(watched.device, { ...options, onWarning })).destroy();
      expect(warnings.map(({ code }) => code)).toEqual(['gpu-not-trusted']);
      expect(tuningOf(watched.device)[family]).toBeUndefined();
      await watched.assertClean();
      watched.device.destroy();
    },
  );

  it('is found where a sort by regular sampling is wrong', async () => {
    const watched = await chained(BY_SAMPLING);
    const [[kernel, right, wrong]] = sample(
      [
        ['sortRuns', 'let place_1 = first_1 + below_1;', 'let place_1 = first_1;'],
        ['sortBuckets', 'atomicAdd(&ends[lookEnd_0], 1u);', ''],
      ] as const,
      1,
      seed,
    ) as [readonly ['sortRuns' | 'sortBuckets', string, string]];
    spoil(watched.device, [right, wrong], kernel);
    const warnings: SortWarning[] = [];
    const onWarning = (warning: SortWarning): unknown => warnings.push(warning);
    const options = { keyType: 'u32', maxCount: 4000, onWarning } as const;
    (await RadixSorter.create(watched.device, options)).destroy();
    expect(
      warnings.map(({ code }) => code),
      kernel,
    ).toEqual(['gpu-not-trusted']);
    expect(tuningOf(watched.device).chained).toBeUndefined();
    await watched.assertClean();
    watched.device.destroy();
  });

  it('serves the backend in the portable way, which warns', async () => {
    const { requestAdapter, assertClean } = watchedAdapters(({ device }) => {
      chain(device);
      spoil(device, OUT_OF_STEP);
    });
    const backend = webgpu({ requestAdapter });
    const random = new Random(seed);
    for (const length of [SHORTEST_OF.narrow, 2 * SHORTEST_OF.narrow]) {
      const keys = randomKeys(length, random);
      const expected = keys.slice().sort();
      const { warnings } = await backend.sort(plainRequest('sort', keys));
      expect(keys).toEqual(expected);
      expect(warnings?.map(({ code }) => code)).toEqual(['gpu-not-trusted']);
    }
    await backend.close();
    await assertClean();
  });
});

/** Bytes of the table that all sorters of a device share. */
const NUMBERS = 2 ** 16;

describe('a device whose fast kernels are right', () => {
  it('is tried once for each set of kernels, without a warning', async () => {
    const watched = await chained({ maxFew: 3500 });
    /** The pieces of work that making a sorter submits. */
    const submits = async (options: Parameters<typeof RadixSorter.create>[1]): Promise<number> => {
      const before = watched.calls.submit;
      (await createTrusted(watched.device, options)).destroy();
      return watched.calls.submit - before;
    };
    const short = { ...FEW_PAIRS, maxCount: 3400 };
    expect(await submits({ keyType: 'u32', maxCount: 3000 }), 'one workgroup').toBe(1);
    expect(await submits(short), 'one workgroup, and few keys').toBe(2);
    expect(await submits(short), 'few keys again').toBe(0);
    expect(await submits({ ...short, keyType: 'i32', order: 'descending' }), 'an order').toBe(0);
    expect(await submits(FEW_PAIRS), 'more keys').toBe(1);
    expect(await submits({ keyType: 'i32', maxCount: 999 }), 'one workgroup again').toBe(0);
    expect(watched.liveBytes()).toBe(NUMBERS);
    await watched.assertClean();
    watched.device.destroy();
  });

  it('is tried again after a trial without memory', async () => {
    const watched = await chained();
    watched.failBuffers(({ label }) => label === 'keysweep trial');
    const failing = RadixSorter.create(watched.device, FEW_PAIRS);
    await expect(failing).rejects.toThrow(/^no RadixSorter for 4000 keys: no memory/);
    watched.failBuffers(() => false);
    const sorter = await createTrusted(watched.device, FEW_PAIRS);
    // One that failed, and one for each of two sets of kernels.
    expect(watched.calls.submit).toBe(3);
    sorter.destroy();
    expect(tuningOf(watched.device).chained).toBeDefined();
    await watched.assertClean();
    watched.device.destroy();
  });

  it('is replaced where it is lost in its trial; arrays stay as they were', async () => {
    const { requestAdapter, devices, assertClean } = watchedAdapters(({ device }) => {
      chain(device);
      const submit = device.queue.submit.bind(device.queue);
      device.queue.submit = (commands) => {
        submit(commands);
        // The first device of the two, in its first piece of work.
        if (devices.length === 1) device.destroy();
      };
    });
    const backend = webgpu({ requestAdapter });
    const keys = randomKeys(SHORTEST_OF.narrow, new Random(seed));
    const before = keys.slice();
    const lost = await rejection(backend.sort(plainRequest('sort', keys)));
    expect(lost).toBeInstanceOf(BackendFailedError);
    expect(keys).toEqual(before);
    expect((await backend.sort(plainRequest('sort', keys))).warnings).toEqual([]);
    expect(keys).toEqual(before.sort());
    await backend.close();
    await assertClean();
  });
});
