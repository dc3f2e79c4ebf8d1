/**
 * What the map of a sample has to be like, by the words of the sample: its range, its gap, its
 * table and its bins. The sample itself need not be the same in any two implementations.
 */

import { CONSTANTS, THREADS } from '@keysweep/kernels/wgsl';
import { expect } from 'vitest';
import {
  type Bins,
  bucketAt,
  bucketOf,
  firstPositions,
  type KeyMap,
  leadOf,
  positionOf,
  scaleOf,
} from '../twins/hybrid/map.js';
import { isEven, isLong, SAMPLES } from '../twins/hybrid/sample.js';
import { bitLength } from '../twins/order.js';
import type { Planned } from './hybrid-inputs.js';
import { random } from './inputs.js';

const { RADIX, MAP_CELLS, CELL_SHARE, HYBRID_MODE, BY_SWEEPS } = CONSTANTS;

/** What a sample has found out. */
export interface Found {
  readonly map: KeyMap;
  readonly bins: readonly Bins[];
  readonly mode: number;
  readonly planned: Planned;
  readonly words: readonly (readonly bigint[])[];
  /** One key in how many the count of buckets is to count; and where not all have to be. */
  readonly stride: number;
  readonly guessed: number;
}

/** The range, the gap and the table are what the words of the sample ask for. */
function checkMap({ map, words, planned: { input } }: Found): void {
  const { order, what } = input;
  const all = words.flat().sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const [lowest, highest] = [all[0] as bigint, all.at(-1) as bigint];
  const tail = order.bits === 32 ? 0 : bitLength((lowest ^ highest) >> 32n);
  expect(map.tail, what).toBe(tail);
  // The lead begins at the highest bit that differs: no other bit is in front of it.
  expect(BigInt(map.prefix), what).toBe(highest >> BigInt(32 + tail));
  expect([map.least, map.most], what).toEqual([lowest, highest].map((word) => leadOf(word, map)));
  if (words.length > 1) return;
  const leads = [...new Set(all.map((word) => leadOf(word, map)))];
  // A gap is looked for in 2^8 parts of a power of two.
  const range = map.most - map.least;
  const part = 2 ** (Math.max(bitLength(BigInt(range)), 1) - 8);
  const parts = Math.floor(range / part) + 1;
  const widest = Math.max(0, ...leads.slice(1).map((lead, i) => lead - (leads[i] as number)));
  const hasGap = map.below < map.most;
  if (range > 255 && 2 * (Math.floor(widest / part) - 1) > parts) {
    expect(hasGap, what).toBe(true);
  }
  if (2 * (Math.ceil(widest / part) - 1) <= parts) {
    expect([map.below, map.above], what).toEqual([map.most, map.most]);
  }
  expect(
    leads.filter((lead) => map.below < lead && lead < map.above),
    `in the gap, ${what}`,
  ).toEqual([]);
  if (hasGap) {
    expect(positionOf(map.most, map) - 2, what).toBeLessThan(0.7 * range);
    checkMargins(map, words[0] as readonly bigint[], what);
  }
  // So few positions do not fill the cells.
  if (positionOf(map.most, map) > 2 ** 12) checkShares(map, words[0] as readonly bigint[], what);
}

/** The map goes on into the gap, and less far beyond many keys. */
function checkMargins(map: KeyMap, words: readonly bigint[], what: string): void {
  const leads = words.map((word) => leadOf(word, map));
  const highest = Math.max(...leads.filter((lead) => lead <= map.below));
  const lowest = Math.min(...leads.filter((lead) => lead >= map.above));
  const margin = Math.floor((highest - map.least + map.most - lowest) / 8);
  const shareOf = (near: number): number => (near > 64 ? Math.floor(margin / 16) : margin);
  const near = leads.filter((lead) => lead <= highest && highest - lead <= margin).length;
  const end = highest + shareOf(near);
  // Up to the end of a cell.
  const cell = (Math.floor(2 ** 27 / map.factor) + 2) * 2 ** map.shift;
  expect(map.below, what).toBeGreaterThanOrEqual(end);
  expect(map.below, what).toBeLessThanOrEqual(end + cell);
  const after = leads.filter((lead) => lead >= lowest && lead - lowest <= margin).length;
  expect(lowest - map.above, what).toBe(shareOf(after));
}

/** Cells have buckets by the keys that the sample shows, on either side of the gap. */
function checkShares(map: KeyMap, words: readonly bigint[], what: string): void {
  const fractionOf = (lead: number): number =>
    Math.floor(positionOf(lead, map) / 2 ** map.shift) * map.factor;
  const cellOf = (lead: number): number => Math.floor(fractionOf(lead) / 2 ** 27);
  const counts = new Array<number>(MAP_CELLS).fill(0);
  for (const word of words) counts[cellOf(leadOf(word, map))]!++;
  const mean = SAMPLES / MAP_CELLS;
  const hasGap = map.below < map.most;
  const isUneven = counts.some((own) => Math.abs(own - mean) > 4 * Math.sqrt(mean));
  expect(map.isLinear, what).toBe(hasGap || isUneven ? 0 : 1);
  const cells = cellOf(map.most) + 1;
  const border = hasGap ? cellOf(map.above) : cells;
  // Positions above the gap begin with a cell of their own.
  const highest = words.map((word) => leadOf(word, map)).filter((lead) => lead <= map.below);
  if (hasGap) expect(cellOf(Math.max(...highest)), what).toBeLessThan(border);
  for (const [from, to] of [
    [0, border],
    [border, cells],
  ] as const) {
    const shares = counts.slice(from, to).map((own) => own + CELL_SHARE);
    const sum = shares.reduce((all, own) => all + own, 0);
    const widths_ = map.cells.slice(from, to).map(([, width]) => width);
    const width = widths_.reduce((all, own) => all + own, 0);
    for (const [i, own] of widths_.entries()) {
      const fair = (width * (shares[i] as number)) / sum;
      expect(Math.abs(own - fair), `cell ${from + i}, ${what}`).toBeLessThan(3);
    }
  }
  const shareOf = (to: number): number =>
    counts.slice(0, to).reduce((all, own) => all + own + CELL_SHARE, 0) /
    (SAMPLES + CELL_SHARE * cells);
  // No bucket has positions on both sides: the border is a whole bucket.
  if (hasGap) {
    const middle = (map.cells[border] as readonly [number, number])[0] / 256;
    expect(Number.isInteger(middle), what).toBe(true);
    expect(Math.abs(middle - RADIX * shareOf(border)), what).toBeLessThanOrEqual(1);
  } else {
    expect(map.cells[0]![0], what).toBe(0);
    const [first, width] = map.cells[cells - 1] as readonly [number, number];
    expect(first + width, what).toBe(0xffff);
  }
}

/** Of a larger lead no smaller bucket, all of them from 0 to 255. */
function checkMonotone({ map, words, planned: { input } }: Found): void {
  const marks = [map.least, map.below, map.above, map.most, 0, 0xffffffff];
  const seen = words.flat().map((word) => leadOf(word, map));
  const probes = [...marks, ...seen, ...Array.from({ length: 500 }, () => random.bits())]
    .flatMap((lead) => [lead - 1, lead, lead + 1])
    .filter((lead) => 0 <= lead && lead <= 0xffffffff)
    .sort((a, b) => a - b);
  let before = 0;
  for (const lead of probes) {
    const bucket = bucketOf(lead, map);
    if (bucket < before || bucket >= RADIX) {
      throw new Error(`lead ${lead} is of bucket ${bucket}, after ${before}; ${input.what}`);
    }
    before = bucket;
  }
  // Keys that the sample has not seen.
  expect(bucketOf(0, map), input.what).toBe(0);
  expect(bucketOf(0xffffffff, map), input.what).toBe(bucketOf(map.most, map));
}

/** The leads of each bucket, and that its bins cover them. */
function checkBins({ map, bins, planned: { input } }: Found): void {
  const firsts = firstPositions(map);
  const last = positionOf(map.most, map);
  for (const [bucket, own] of bins.entries()) {
    const what = `bucket ${bucket}, ${input.what}`;
    const first = firsts[bucket] as number;
    expect({ shift: own.shift, factor: own.factor }, what).toEqual(scaleOf(own.most - own.least));
    expect(positionOf(own.least, map), what).toBe(first);
    if (bucketAt(first, map) !== bucket) {
      expect(own.most, what).toBe(own.least);
      continue;
    }
    const end = bucket + 1 < RADIX ? (firsts[bucket + 1] as number) - 1 : last;
    expect(positionOf(own.most, map), what).toBe(Math.max(first, end));
  }
}

function checkMode({ map, bins, mode, words, planned: { input } }: Found): void {
  const modes = words.map((own) =>
    isLong(map, input.order) && isEven(own, map, bins, input.order) ? HYBRID_MODE : BY_SWEEPS,
  );
  expect(modes, input.what).toContain(mode);
}

/** Where values tell equal keys apart, or keys may be in order, all are counted. */
function checkStride({ map, words, stride, guessed, planned }: Found): void {
  if (words.length !== 1) return;
  const { input, specialization } = planned;
  const [own = []] = words;
  const leads = own.map((word) => leadOf(word, map));
  const isAscending = leads.every((lead, i) => i < THREADS || lead >= leads[i - THREADS]!);
  const isWhole = specialization.valueWords > 0 || isAscending;
  expect(stride, input.what).toBe(isWhole ? 1 : guessed);
}

/** Checks all of what a sample has found out. */
export function check(found: Found): void {
  checkMap(found);
  checkStride(found);
  checkMonotone(found);
  checkBins(found);
  checkMode(found);
}
