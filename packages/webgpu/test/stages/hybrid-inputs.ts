/** Inputs of the stages of a hybrid sort, their plans, and the parts of their scan state. */

import { isThorough, Random } from '@keysweep/conformance/data';
import {
  type BatchShape,
  CONSTANTS,
  hybridWordsOf,
  LAYOUTS,
  maxBatches,
  maxPassesOf,
  type Specialization,
  splitTileOf,
  statusTileOf,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { fewer } from '../../../../tools/test/draw-tests.js';
import { chain } from '../chained-devices.js';
import type { BucketTile } from '../twins/hybrid/bucket-starts.js';
import { type Bins, type KeyMap, leadOf, positionOf } from '../twins/hybrid/map.js';
import { bitLength, clampWord, type KeyOrder, type Pass, wordOf } from '../twins/order.js';
import { planWords } from './gpu-stage.js';
import { type Input, random, randomInput, WIDTHS } from './inputs.js';

const { RADIX, TILE_COUNTERS, MAP_CELLS, SAMPLE_GROUPS, BATCH_WORDS } = CONSTANTS;
const { HYBRID_PASSES, HYBRID_MODE, BY_SWEEPS, FRACTION_BITS } = CONSTANTS;

/** Records that may be sorted so, with subgroups or without. */
export interface HybridWidths extends Widths {
  readonly subgroups: 'with' | 'without';
}

/**
 * Widths of records that may be sorted by a map: all in a thorough run, else one of either width of
 * a key, of which one has values. Those without values are sorted without subgroups, too.
 */
export function mapWidths(own: number): readonly HybridWidths[] {
  const drawing = new Random(own + 1);
  return hybridWidths(own).flatMap((widths) => {
    const ways = widths.valueWords > 0 ? (['with'] as const) : (['with', 'without'] as const);
    const drawn = isThorough ? ways : [ways[drawing.below(ways.length)] as 'with' | 'without'];
    return drawn.map((subgroups) => ({ ...widths, subgroups }));
  });
}

/** The same of sorts by a map or by counts, which need subgroups. */
export function hybridWidths(own: number): readonly Widths[] {
  const widths = WIDTHS.filter(({ approximate }) => !approximate);
  if (isThorough) return widths;
  const drawing = new Random(own);
  const paired = 1 + drawing.below(2);
  const drawn = ([1, 2] as const).flatMap((keyWords) => {
    const valueWords = keyWords === paired ? 1 + drawing.below(2) : 0;
    return widths.filter((one) => one.keyWords === keyWords && one.valueWords === valueWords);
  });
  return fewer(drawn, 1, own);
}

export const MAPPED: BatchShape = { threads: 32, keys: 5, isMapped: true };
export const COUNTED: BatchShape = { ...MAPPED, isMapped: false };

/** An input without key bits, which is never sorted so, and what is compiled for it. */
export interface Planned {
  readonly input: Input;
  readonly hasNanTies: boolean;
  readonly specialization: Specialization;
  /** Keys of a tile: of a split, or a sweep; and of a sweep. */
  readonly tile: number;
  readonly statusTile: number;
  /** Of the input's keys. */
  readonly words: readonly bigint[];
}

export function planned(
  device: GPUDevice,
  widths: Widths & Partial<HybridWidths>,
  maxCount: number,
  batch: BatchShape = MAPPED,
): Planned {
  let input = randomInput(widths, maxCount);
  while (input.keyBits !== undefined || input.count < 2) input = randomInput(widths, maxCount);
  const { many } = chain(device).chained![widths.keyWords];
  const alone = { subgroup: 0, needsSizeControl: false, hasSubgroupId: false };
  const own = widths.subgroups === 'without' ? { ...many, ...alone } : many;
  // Half of the splits of keys without values are in stages.
  const isStaged = widths.valueWords === 0 && random.below(2) === 0;
  const splits = isStaged ? { threads: own.threads, keys: 6, stages: 2 } : undefined;
  const shape = { ...own, splits };
  const hasNanTies = widths.valueWords > 0 && input.keyType.startsWith('f');
  const waits = { lookLimit: 16, stalledTile: undefined };
  const chained = { ...shape, ...waits, hasNanTies, batch };
  return {
    input,
    hasNanTies,
    specialization: { ...widths, chained },
    tile: batch.isMapped ? splitTileOf(widths, shape) : shape.threads * shape.keys,
    statusTile: statusTileOf(shape),
    words: input.records.keys.map((key) => wordOf(key, input.order)),
  };
}

/** `any` with other keys, and values that tell where each was. */
export function withKeys(any: Planned, keys: bigint[]): Planned {
  const values = keys.map((_, row) => BigInt(row));
  const input = { ...any.input, count: keys.length, records: { keys, values } };
  return { ...any, input, words: keys.map((key) => wordOf(key, input.order)) };
}

/** Where parts of the scan state are, in words: kernels/wgsl/fragments/scan-state.wgsl. */
export interface Parts {
  readonly counts: number;
  readonly starts: number;
  /** Of a sort that its counts decide. */
  readonly cells: number;
  /** Of a sort by a map. */
  readonly map: number;
  readonly leasts: number;
  readonly mosts: number;
  readonly scales: number;
  readonly bucketStarts: number;
  readonly ends: number;
  readonly bins: number;
  readonly statuses: number;
  /** Of `count` keys. */
  readonly tiles: number;
  readonly batches: number;
  readonly longBatches: (batches: number) => number;
  readonly words: number;
}

export const SPILLED_AT: number = TILE_COUNTERS - 5;
export const TILES_LISTED_AT: number = TILE_COUNTERS - 4;
export const SAMPLED_AT: number = TILE_COUNTERS - 3;
export const BATCHES_COUNTED_AT: number = TILE_COUNTERS - 2;

/** `tile` of the splits, `statusTile` of the sweeps. */
export function partsOf(
  widths: Widths,
  batch: BatchShape,
  tile: number,
  count: number,
  statusTile: number = tile,
): Parts {
  const digits = RADIX * maxPassesOf(widths.keyWords);
  const counts = TILE_COUNTERS;
  const starts = counts + digits;
  const map = starts + digits;
  const leasts = map + MAP_CELLS;
  const [mosts, scales, bucketStarts] = [1, 2, 3].map((i) => leasts + i * RADIX) as [
    number,
    number,
    number,
  ];
  const ends = bucketStarts + RADIX;
  const bins = ends + 2 * RADIX + 4 * SAMPLE_GROUPS;
  const statuses = map + hybridWordsOf(batch);
  const maxTiles = Math.ceil(count / tile) + RADIX;
  const tiles = statuses + (Math.ceil(count / statusTile) + RADIX) * RADIX;
  const batches = tiles + 2 * maxTiles;
  const most = maxBatches(count, batch, widths);
  return {
    ...{ counts, starts, cells: map, map, leasts, mosts, scales, bucketStarts, ends, bins },
    ...{ statuses, tiles, batches },
    longBatches: (own) => batches + BATCH_WORDS * own,
    words: batches + (BATCH_WORDS + 1) * most,
  };
}

/** The passes of a hybrid sort by a map: from the caller's buffers to scratch, and back. */
export const splitPasses = (offset: number): Pass[] =>
  [0, 1].map((slot) => ({
    ...{ bias: 0n, shift: 0, width: 0, isFirst: slot === 0, isLast: false },
    ...(slot === 0
      ? { sourceOffset: offset, targetOffset: 0 }
      : { sourceOffset: 0, targetOffset: offset }),
  }));

const MAP_FIELDS = [
  ...(['least', 'below', 'above', 'most', 'shift', 'factor', 'isLinear', 'tail'] as const),
  'prefix',
] as const;

/** The plan of a sort, hybrid where there is a map or a number of buckets a batch. */
export function planOf(
  { keyWords }: Widths,
  { count, offset }: Input,
  { map, batchBuckets, stride = map ? 1 : 0, mode, passes = [] }: PlanNumbers = {},
): Uint32Array {
  const none = { tilesPerBlock: 0, blocks: 0, spineLanes: 0 };
  const maxPasses = maxPassesOf(keyWords);
  const isHybrid = map !== undefined || batchBuckets !== undefined;
  const passesSkipped = isHybrid ? maxPasses - HYBRID_PASSES : 0;
  const plan = planWords({ count, offset, ...none, passesSkipped, passes }, maxPasses, false);
  // Some kernels have room for heavy values behind it, here of none.
  const words = new Uint32Array(plan.length + 4 + 3 * CONSTANTS.HEAVY_SLOTS + RADIX);
  words.set(plan);
  const at = (field: 'passesRun' | 'mode' | 'batchBuckets' | 'stride'): number =>
    LAYOUTS.Plan[field] / 4;
  if (isHybrid) words[at('passesRun')] = HYBRID_PASSES;
  words[at('mode')] = mode ?? (isHybrid ? HYBRID_MODE : BY_SWEEPS);
  words[at('batchBuckets')] = batchBuckets ?? 0;
  words[at('stride')] = stride;
  if (map !== undefined) {
    for (const field of MAP_FIELDS) {
      words[(LAYOUTS.Plan.map + LAYOUTS.Map[field]) / 4] = map[field];
    }
  }
  return words;
}

interface PlanNumbers {
  readonly map?: KeyMap | undefined;
  readonly batchBuckets?: number | undefined;
  readonly stride?: number;
  readonly mode?: number;
  readonly passes?: readonly Pass[];
}

/** The map in a plan and in a scan state. */
export function mapIn(plan: Uint32Array, state: Uint32Array, parts: Parts): KeyMap {
  const numbers = MAP_FIELDS.map((field) => [
    field,
    plan[(LAYOUTS.Plan.map + LAYOUTS.Map[field]) / 4] as number,
  ]);
  const cells = [...state.slice(parts.map, parts.map + MAP_CELLS)].map(
    (entry) => [entry >>> 16, entry & 0xffff] as const,
  );
  return { ...Object.fromEntries(numbers), cells } as KeyMap;
}

/** The bins of all buckets in a scan state. */
export const binsIn = (state: Uint32Array, parts: Parts): Bins[] =>
  Array.from({ length: RADIX }, (_, bucket) => {
    const scale = state[parts.scales + bucket] as number;
    return {
      least: state[parts.leasts + bucket] as number,
      most: state[parts.mosts + bucket] as number,
      shift: scale >>> 24,
      factor: scale & 0xffffff,
    };
  });

/** Writes a map's table and the bins of its buckets to a scan state. */
export function putMap(
  state: Uint32Array,
  parts: Parts,
  { cells }: KeyMap,
  bins: readonly Bins[],
): void {
  state.set(
    cells.map(([first, width]) => first * 2 ** 16 + width),
    parts.map,
  );
  for (const [bucket, { least, most, shift, factor }] of bins.entries()) {
    state[parts.leasts + bucket] = least;
    state[parts.mosts + bucket] = most;
    state[parts.scales + bucket] = shift * 2 ** 24 + factor;
  }
}

/** The tiles of the second split in a scan state, by their first keys. */
export const tilesIn = (state: Uint32Array, { tiles }: Parts, count: number): BucketTile[] =>
  Array.from({ length: count }, (_, tile) => {
    const [first = 0, keysAndBucket = 0] = state.slice(tiles + 2 * tile);
    return { first, keys: Math.floor(keysAndBucket / RADIX), bucket: keysAndBucket % RADIX };
  }).sort((a, b) => a.first - b.first);

/** How the buckets of a random map are. */
export type MapKind = 'any' | 'linear' | 'gap' | 'one bucket';
export const MAP_KINDS: readonly MapKind[] = ['any', 'linear', 'gap', 'one bucket'];

/** Some of `words`, one after the other: as a sample may miss the others. */
export function someOf(words: readonly bigint[]): readonly bigint[] {
  const from = random.below(words.length);
  return words.slice(from, from + 1 + random.below(words.length));
}

/**
 * A map of the range of `words`. Some buckets are wide and others empty, and there is a gap where
 * `kind` says so and words leave one.
 */
export function mapFor(words: readonly bigint[], order: KeyOrder, kind: MapKind): KeyMap {
  const seen = words
    .map((word) => clampWord(word, order))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [least, most] = [seen[0] as bigint, seen.at(-1) as bigint];
  const tail = order.bits === 32 ? 0 : bitLength((least ^ most) >> 32n);
  const prefix = Number(most >> BigInt(32 + tail));
  const none = { tail, prefix, cells: [], isLinear: 0, shift: 0, factor: 0 };
  const range = { ...none, least: 0, below: 0, above: 0, most: 0 };
  const leads = [...new Set(seen.map((word) => leadOf(word, range)))];
  const [first, last] = [leads[0] as number, leads.at(-1) as number];
  const gap = kind === 'gap' ? random.below(leads.length) : leads.length - 1;
  const ends = { least: first, below: leads[gap] as number, above: leads[gap + 1] ?? last };
  const map = { ...none, ...ends, most: last };
  const positions = positionOf(last, map);
  const shift = Math.max(bitLength(BigInt(positions)) - FRACTION_BITS, 0);
  const factor = Math.floor(0xffffffff / (Math.floor(positions / 2 ** shift) + 1));
  const bounds = Array.from({ length: MAP_CELLS - 1 }, () =>
    kind === 'one bucket' ? 77 * 256 + 9 : random.below(0x10000),
  ).sort((a, b) => a - b);
  const all = kind === 'one bucket' ? [77 * 256, ...bounds, 77 * 256 + 250] : [0, ...bounds, 65535];
  const cells = all.slice(1).map((end, cell): readonly [number, number] => {
    const start = all[cell] as number;
    return [start, end - start];
  });
  return { ...map, shift, factor, isLinear: kind === 'linear' ? 1 : 0, cells };
}

/** The bits of two numbers in turns. */
export function interleaved(a: number, b: number): bigint {
  let word = 0n;
  for (let bit = 0; bit < 14; bit++) {
    word |= BigInt(((a >> bit) & 1) | (((b >> bit) & 1) << 1)) << BigInt(2 * bit);
  }
  return word;
}
