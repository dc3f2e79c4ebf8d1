/** Records of a hybrid sort by a map, as its stages find them, and what is in their buffers. */

import { batchOf, CONSTANTS, cellsOf, type Widths } from '@keysweep/kernels/wgsl';
import { startsOf } from '../twins/hybrid/bucket-starts.js';
import {
  type BatchRecord,
  type Bucket,
  cellScale,
  cutBatches,
} from '../twins/hybrid/cut-batches.js';
import {
  type Bins,
  binOf,
  binsOf,
  bucketOf,
  type KeyMap,
  tiedLeadOf,
} from '../twins/hybrid/map.js';
import { split } from '../twins/hybrid/split.js';
import type { Records } from '../twins/order.js';
import { numbersFrom } from './gpu-stage.js';
import {
  MAP_KINDS,
  MAPPED,
  type MapKind,
  mapFor,
  type Parts,
  type Planned,
  partsOf,
  planned,
  putMap,
  someOf,
} from './hybrid-inputs.js';
import { type Input, pick, placed } from './inputs.js';

const { RADIX, BATCH_WORDS } = CONSTANTS;

/** Keys of a batch, and cells. */
export const BATCH: number = batchOf(MAPPED);
const CELLS = cellsOf(MAPPED);
const PLACE_BITS = Math.ceil(Math.log2(BATCH));

/** An input, and a map of its keys. */
export interface Mapped extends Planned {
  readonly map: KeyMap;
  readonly bins: readonly Bins[];
  /** Of each word. */
  readonly leads: readonly number[];
  readonly buckets: readonly number[];
  /** The state of a sort that has a map, and its parts. */
  readonly state: Uint32Array;
  readonly parts: Parts;
}

/** `any`, with a map. */
export function mapped(any: Planned, widths: Widths, map: KeyMap): Mapped {
  const { input, hasNanTies, tile, statusTile, words } = any;
  const bins = binsOf(map);
  const leads = words.map((word) => tiedLeadOf(word, map, input.order, hasNanTies));
  const parts = partsOf(widths, MAPPED, tile, input.count, statusTile);
  const state = new Uint32Array(parts.words);
  putMap(state, parts, map, bins);
  const buckets = leads.map((lead) => bucketOf(lead, map));
  return { ...any, map, bins, leads, buckets, state, parts };
}

/** A random input, and a random map of its keys. */
export function anyMapped(
  device: GPUDevice,
  widths: Widths,
  maxCount: number,
  kind: MapKind = pick(MAP_KINDS),
): Mapped {
  const any = planned(device, widths, maxCount);
  return mapped(any, widths, mapFor(someOf(any.words), any.input.order, kind));
}

/** Records whose keys are words, behind each other in `order`. */
function arranged(
  any: Mapped,
  widths: Widths,
  records: Records,
  digits: readonly number[],
): Mapped {
  const { keys, values } = split(records, digits);
  const input = { ...any.input, records: { keys, values } };
  const own = mapped({ ...any, input, words: keys }, widths, any.map);
  const starts = startsOf(own.buckets);
  own.state.set(starts, own.parts.bucketStarts);
  // Where the first split has ended.
  own.state.set([...starts.slice(1), keys.length], own.parts.starts);
  return own;
}

/** The records of `any`, words in place of keys, in their buckets. */
export const inBuckets = (any: Mapped, widths: Widths): Mapped =>
  arranged(any, widths, { keys: [...any.words], values: any.input.records.values }, any.buckets);

/** The bins of the words, counted through all buckets. */
export const binNumbers = ({ leads, buckets, bins }: Mapped): number[] =>
  leads.map((lead, i) => {
    const bucket = buckets[i] as number;
    return bucket * RADIX + binOf(lead, bins[bucket] as Bins);
  });

/** The same, in their bins. */
export const inBins = (any: Mapped, widths: Widths): Mapped =>
  arranged(
    any,
    widths,
    { keys: [...any.words], values: any.input.records.values },
    binNumbers(any),
  );

/** The keys of each bin. */
export function binCounts(any: Mapped): number[] {
  const counts = new Array<number>(RADIX * RADIX).fill(0);
  for (const bin of binNumbers(any)) counts[bin]!++;
  return counts;
}

/** The least and the largest lead of each bucket; undefined of those without keys. */
export function endsOf({ leads, buckets }: Mapped): (readonly [number, number] | undefined)[] {
  const ends = new Array<readonly [number, number] | undefined>(RADIX).fill(undefined);
  for (const [i, lead] of leads.entries()) {
    const bucket = buckets[i] as number;
    const [least, most] = ends[bucket] ?? [lead, lead];
    ends[bucket] = [Math.min(least, lead), Math.max(most, lead)];
  }
  return ends;
}

/** The batches of all buckets. */
export function batchesOf(any: Mapped, { valueWords }: Widths): BatchRecord[] {
  const counts = binCounts(any);
  const ends = endsOf(any);
  const maxSpan = valueWords > 0 ? 2 ** (32 - PLACE_BITS) : Number.POSITIVE_INFINITY;
  return startsOf(any.buckets).flatMap((start, bucket) => {
    const own: Bucket = {
      start,
      bins: any.bins[bucket] as Bins,
      counts: counts.slice(bucket * RADIX, (bucket + 1) * RADIX),
      leads: ends[bucket] ?? [],
    };
    return cutBatches(own, BATCH, maxSpan);
  });
}

/** The words of a batch in the state. */
export function batchWords({ first, keys, least, span }: BatchRecord, { map }: Mapped): number[] {
  const { shift, factor } = cellScale(least, span, map, CELLS);
  return [first, keys, least, span, shift * 2 ** 26 + factor];
}

/** The batches in a state, by their first keys. */
export function batchesIn(state: Uint32Array, { batches }: Parts, count: number): number[][] {
  return Array.from({ length: count }, (_, batch) => {
    const at = batches + batch * BATCH_WORDS;
    return [...state.slice(at, at + BATCH_WORDS)];
  }).sort(([a = 0], [b = 0]) => a - b);
}

/** Keys and values behind `offset` others. */
function buffersOf(
  { keyWords, valueWords }: Widths,
  { records, offset }: Input,
): Record<number, Uint32Array> {
  const keys = { 0: placed(records.keys, offset, keyWords) };
  return valueWords === 0 ? keys : { ...keys, 1: placed(records.values, offset, valueWords) };
}

/** The records of `input`, with room behind them, beside scratch of as many. */
export function exchangeOf(widths: Widths, input: Input): Record<number, Uint32Array> {
  const { keyWords, valueWords } = widths;
  const { offset, count } = input;
  const caller = buffersOf(widths, input);
  // Nothing of worth.
  const scratch = buffersOf(widths, { ...input, offset: 0 });
  const room = (words: Uint32Array | undefined, length: number): Uint32Array => {
    const wide = new Uint32Array(Math.max(length, words?.length ?? 0));
    wide.set(words ?? []);
    return wide;
  };
  const keys = {
    0: room(caller[0], (offset + count) * keyWords),
    1: scratch[0] as Uint32Array,
  };
  if (valueWords === 0) return keys;
  const values = room(caller[1], (offset + count) * valueWords);
  return { ...keys, 2: values, 3: scratch[1] as Uint32Array };
}

/** The records that a batch sort has left with the caller. */
export function exchangedIn(
  { keyWords, valueWords }: Widths,
  group: readonly Uint32Array[] | undefined,
  { offset, count }: Input,
): Records {
  const from = (words: Uint32Array | undefined, wordsPer: number): bigint[] =>
    numbersFrom(words ?? new Uint32Array(), wordsPer).slice(offset, offset + count);
  return {
    keys: from(group?.[0], keyWords),
    values: valueWords === 0 ? [] : from(group?.[2], valueWords),
  };
}

/** Numbers in order. */
export const inOrder = (numbers: readonly bigint[]): bigint[] =>
  [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
