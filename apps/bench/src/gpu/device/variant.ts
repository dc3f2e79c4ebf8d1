/** How the devices of an adapter sort large arrays. */

import {
  type BatchTarget,
  chainedTuning,
  detectSubgroupId,
  setTuning,
  type Tuning,
  tuningOf,
} from '@keysweep/webgpu/tuning';

/**
 * 'auto': as RadixSorter chooses. 'chained': by chained scans, however narrow the device's
 * subgroups are. 'stalled': by chained scans in which one tile never publishes its counts, and the
 * others wait only shortly before they recompute them. 'hybrid': every sort that may be hybrid is,
 * whatever the keys are. 'sweeps': none is. 'chunks': bindings are so short that most sorts are of
 * more records than one holds.
 */
export const VARIANTS = ['auto', 'chained', 'stalled', 'hybrid', 'sweeps', 'chunks'] as const;
export type Variant = (typeof VARIANTS)[number];

const NEED_SUBGROUPS: readonly Variant[] = ['chained', 'stalled'];

/** Bytes of a short binding: 63 of them hold what is checked. */
const SHORT = 2 ** 17;

const force = (targets: readonly BatchTarget[]): BatchTarget[] =>
  targets.map((target) => ({ ...target, least: 2, isForced: true }));

/** How `tuning` is changed. */
const CHANGES: Readonly<Record<Exclude<Variant, 'auto'>, (tuning: Tuning) => Partial<Tuning>>> = {
  chained: () => ({}),
  stalled: () => ({ lookLimit: 16, stalledTile: 1 }),
  hybrid: ({ batches, portableMap }) => ({
    batches: batches && {
      keys: force(batches.keys),
      pairs: force(batches.pairs),
      wide: force(batches.wide),
      widePairs: force(batches.widePairs),
    },
    portableMap: portableMap && {
      ...portableMap,
      batches: { keys: force(portableMap.batches.keys), wide: force(portableMap.batches.wide) },
    },
  }),
  sweeps: () => ({ batches: undefined, portableMap: undefined }),
  chunks: () => ({ maxBound: SHORT }),
};

/** Has devices that are requested of `adapter` sort by `variant`. */
export function useVariant(adapter: GPUAdapter, variant: Variant): void {
  if (variant === 'auto') return;
  const request = adapter.requestDevice.bind(adapter);
  adapter.requestDevice = async (descriptor) => {
    const device = await request(descriptor);
    await detectSubgroupId(device);
    const tuning = variant === 'chunks' ? tuningOf(device) : chainedTuning(device);
    if (tuning.chained === undefined && NEED_SUBGROUPS.includes(variant)) {
      throw new Error(`--variant ${variant} needs a device with subgroups: --features all`);
    }
    setTuning(device, { ...tuning, ...CHANGES[variant](tuning) });
    return device;
  };
}
