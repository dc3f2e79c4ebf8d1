/** Inputs of the stages that sort segments. */

import {
  type Constants,
  constantsFor,
  type Kernel,
  maxPassesOf,
  shortOf,
  shortWindowOf,
  singleOf,
  type Widths,
} from '@keysweep/kernels/wgsl';
import { nansTie } from '../../src/sorter/recording/uniforms.js';
import { segmentShape } from '../../src/sorter/segments/subgroup-segment-sort.js';
import { chainedShapes, type Shapes } from '../../src/sorter/tuning/tuning.js';
import { chain, withMiddle } from '../chained-devices.js';
import type { Records } from '../twins/order.js';
import { type Marks, marks, type Segment } from '../twins/segments/marks.js';
import { workgroupSort } from '../twins/workgroup-sort.js';
import type { Group } from './gpu-stage.js';
import { type Input, pick, placed, random, randomInput } from './inputs.js';

/** Segments of an input's records, and what is compiled for them. */
export interface SegmentInput {
  readonly input: Input;
  readonly widths: Widths;
  /** Where segments begin, and where the last one ends: they ascend. */
  readonly places: readonly number[];
  /** Of the last stage that finds out which segments there are. */
  readonly known: Marks;
  readonly kinds: { short: number; single: number; fewer: number; tile: number };
  /** Keys of a window. */
  readonly window: number;
  readonly isPlaced: boolean;
  readonly hasNanTies: boolean;
  readonly passes: number;
  readonly constantsOf: (kernel: Kernel) => Constants;
}

/** Places in `count` records, of segments whose lengths are of `lengths`, or at random below. */
export function randomPlaces(count: number, lengths: readonly number[]): number[] {
  const first = random.below(Math.min(70, count));
  const places = [first];
  while (random.below(60) > 0) {
    const length = random.below(4) === 0 ? pick(lengths) : random.below(pick([3, 12, 40]));
    const next = (places.at(-1) as number) + length;
    if (next > count) break;
    places.push(next);
  }
  return places;
}

export function segmentInput(device: GPUDevice, widths: Widths): SegmentInput {
  chain(device);
  withMiddle(device);
  const shapes = chainedShapes(device, widths) as Shapes;
  const { one, many } = shapes;
  let input = randomInput(widths, 8 * many.threads * many.keys);
  while (input.count < 2) input = randomInput(widths, 8 * many.threads * many.keys);
  const { keyType, keyBits, count } = input;
  const options = { keyType, keyBits, maxCount: count };
  const segments = segmentShape(shapes, options, widths);
  const hasNanTies = nansTie(options, widths);
  const waits = { lookLimit: 16, stalledTile: undefined };
  const constantsOf = (kernel: Kernel): Constants => {
    const shape = kernel === 'fewerSort' ? one : many;
    const chained = { ...shape, ...waits, hasNanTies, segments };
    return constantsFor({ ...widths, chained }, kernel);
  };
  const kinds = {
    short: shortOf(segments, one.subgroup),
    single: singleOf(segments, one.subgroup),
    fewer: segments.fewerKeys,
    tile: many.threads * many.keys,
  };
  const { short, single, fewer, tile } = kinds;
  const around = [short, single, fewer, tile].flatMap((length) => [length, length + 1]);
  const places = randomPlaces(count, [...around, 2 * tile, 3 * tile + 7]);
  return {
    ...{ input, widths, places, kinds, hasNanTies, constantsOf },
    known: marks(places, count, count, kinds),
    window: shortWindowOf(segments, one.subgroup),
    isPlaced: segments.isPlaced,
    passes: maxPassesOf(widths.keyWords),
  };
}

/** The bytes of a number that a command does not carry, lowest first. */
export const bytesOf = (number: number, count = 4): Uint32Array[] =>
  Array.from({ length: count }, (_, i) => Uint32Array.of((number >>> (8 * i)) & 255));

/** The group of records that are sorted in place. */
export const inPlace = ({ keyWords, valueWords }: Widths, { keys, values }: Records): Group => ({
  0: placed(keys, 0, keyWords),
  ...(valueWords > 0 && { 1: placed(values, 0, valueWords) }),
});

/** `records` with each of `segments` in order. */
export function sortedIn(
  records: Records,
  segments: readonly Segment[],
  { input: { order }, isPlaced }: SegmentInput,
): Records {
  // Where keys that differ are never ties, NaNs are in the order of their words.
  const highest = (1n << BigInt(order.bits)) - 1n;
  const ownOrder = isPlaced ? order : { ...order, lowest: 0n, highest };
  const sorted: Records = { keys: [...records.keys], values: [...records.values] };
  for (const { first, count } of segments) {
    const own = {
      keys: records.keys.slice(first, first + count),
      values: records.values.slice(first, first + count),
    };
    const { keys, values } = workgroupSort(own, ownOrder);
    sorted.keys.splice(first, count, ...keys);
    sorted.values.splice(first, count, ...values);
  }
  return sorted;
}

/** Words of a list of structs. */
export const listOf = (rows: readonly (readonly number[])[], least = 1): number[] => {
  const words = rows.flat();
  return words.length > 0 ? words : new Array<number>(least).fill(0);
};
