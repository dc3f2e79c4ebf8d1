/** What holds of RadixSorter in Node and in a page. */

import { Random, runSeed, sample } from '@keysweep/conformance/data';
import { GPU_CHECKS, type GpuCheck, PORTABLE_SCRATCH, runCheck } from '@keysweep/conformance/gpu';
import { tileOf } from '@keysweep/kernels/wgsl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RadixSorter } from '../src/sorter/radix-sorter.js';
import {
  createTrusted,
  hybrid,
  chained as openChained,
  mapped as openMapped,
} from './chained-devices.js';
import { everything } from './shared-devices.js';
import { sharedWatchedDevice, type WatchedDevice } from './watched-device.js';

const MAX_LENGTH = 110_000;

const seed = runSeed();

/** Devices as callers may have them. */
interface Variant {
  readonly name: string;
  readonly checks: readonly GpuCheck[];
  readonly open: () => Promise<WatchedDevice>;
  /** What scratch may take besides the records once more. */
  readonly scratch: { readonly share: number; readonly bytes: number };
}

const VARIANTS = {
  plain: {
    name: 'of no features and default limits',
    checks: GPU_CHECKS,
    open: () => sharedWatchedDevice(),
    scratch: PORTABLE_SCRATCH,
  },
  chained: {
    name: 'that sorts by chained scans, whatever its subgroups',
    checks: GPU_CHECKS,
    open: () => openChained(),
    // A software adapter's tiles are short.
    scratch: { share: 1.4, bytes: 160 * 1024 },
  },
  hybrid: {
    name: 'on which every long sort is hybrid, whatever the keys',
    checks: GPU_CHECKS,
    open: () => openChained(hybrid(true)),
    scratch: { share: 1.4, bytes: 160 * 1024 },
  },
  mapped: {
    name: 'of no features, on which every long sort of keys without values is by a map',
    checks: GPU_CHECKS,
    open: () => openMapped(true),
    // Of short sorts it's mostly the counts of the bins.
    scratch: { ...PORTABLE_SCRATCH.long, share: 0.1 },
  },
  features: {
    name: "of all its adapter's features and default limits",
    checks: GPU_CHECKS,
    open: () =>
      sharedWatchedDevice((adapter) => ({
        requiredFeatures: everything(adapter).requiredFeatures ?? [],
      })),
    scratch: { ...PORTABLE_SCRATCH, bytes: 160 * 1024 },
  },
  everything: {
    name: "of all its adapter's features and limits",
    checks: GPU_CHECKS,
    open: () => sharedWatchedDevice(everything),
    scratch: { ...PORTABLE_SCRATCH, bytes: 160 * 1024 },
  },
} as const satisfies Readonly<Record<string, Variant>>;

type VariantName = keyof typeof VARIANTS;

/** Which of a variant's checks are run. */
export type Choice = (checks: readonly GpuCheck[]) => readonly GpuCheck[];

/** A check that compiles for one width of records: a software adapter takes seconds for each. */
const isOfOneWidth = ({ name }: GpuCheck): boolean => /^u32 keys, u32 values/.test(name);

/** Checks of one type of records, or one distribution, of which a run may draw some. */
const isOfOneKind = ({ name }: GpuCheck): boolean =>
  /^(?:[uif]\d\d keys|key bits|approximate order|long arrays)/.test(name);

/** The check of one width of records. */
export const oneWidth: Choice = (checks) => checks.filter(isOfOneWidth);

/** That check, one of another type of records, and one that is of no type. */
export const fewWidths: Choice = (checks) => {
  const others = checks.filter((check) => !isOfOneWidth(check));
  const types = others.filter(({ name }) => /values: every length$/.test(name));
  const rest = others.filter((check) => !isOfOneKind(check) && !/^a long array/.test(check.name));
  return [...checks.filter(isOfOneWidth), ...sample(types, 1, seed), ...sample(rest, 1, seed)];
};

/** A check of keys without values. */
export const bareWidth: Choice = (checks) =>
  sample(
    checks.filter(({ name }) => / keys, no values: every length$/.test(name)),
    1,
    seed,
  );

/** Every check but those of one kind, of which `count` are drawn. */
export const drawnOfOneKind =
  (count: number): Choice =>
  (checks) => {
    const drawn = sample(checks.filter(isOfOneKind), count, seed);
    return checks.filter((check) => drawn.includes(check) || !isOfOneKind(check));
  };

export const all: Choice = (checks) => checks;

/** Declares the checks that `choose` chooses of a variant's. */
export function describeSorter(
  where: string,
  choose: Readonly<Partial<Record<VariantName, Choice>>>,
): void {
  for (const [variant, { name, checks, open, scratch }] of Object.entries(VARIANTS)) {
    const chosen = choose[variant as VariantName]?.(checks);
    if (chosen === undefined) continue;
    describe(`RadixSorter ${where}, on a device ${name}`, () => {
      let watched: WatchedDevice;

      beforeAll(async () => {
        watched = await open();
      });

      afterAll(() => watched.device.destroy());

      for (const check of chosen) {
        it(check.name, async () => {
          const subject = {
            device: watched.device,
            create: createTrusted,
            random: new Random(seed + GPU_CHECKS.indexOf(check)),
            tile: { 4: tileOf(1), 8: tileOf(2) },
            scratch,
            maxLength: MAX_LENGTH,
            thorough: false,
          };
          await runCheck(check, subject, seed);
          await watched.assertClean();
        });
      }
    });
  }
}

/** Declares what needs a device of its own. */
export function describeWantOfMemory(where: string): void {
  it(`create ${where} rejects and frees what it made when memory is wanting`, async () => {
    const watched = await sharedWatchedDevice();
    // So few that one workgroup sorts them: one pipeline is enough.
    const options = { keyType: 'u32', maxCount: 1000 } as const;
    const first = await RadixSorter.create(watched.device, options);
    const before = watched.liveBuffers();
    watched.failNextBuffer();
    const failing = RadixSorter.create(watched.device, options);
    await expect(failing).rejects.toThrow(/^no RadixSorter for 1000 keys: /);
    expect(watched.liveBuffers()).toEqual(before);
    first.destroy();
    await watched.assertClean();
    watched.device.destroy();
  });
}
