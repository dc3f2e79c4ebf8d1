/** The twin of kernels/wgsl/hybrid/cut-batches.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';
import { bitLength } from '../order.js';
import { type Bins, type KeyMap, minOfBin } from './map.js';

const { RADIX } = CONSTANTS;

/** A batch: its keys, the least lead that they may have, and how far the largest is above that. */
export interface BatchRecord {
  readonly first: number;
  readonly keys: number;
  readonly least: number;
  readonly span: number;
}

/** A bucket: where it begins, its bins, the keys of each, and the leads that it has. */
export interface Bucket {
  readonly start: number;
  readonly bins: Bins;
  readonly counts: readonly number[];
  readonly leads: readonly number[];
}

/**
 * The batches of a bucket: neighbouring bins, as long as they have no more keys than `maxKeys` and
 * leads within `maxSpan`; one bin at least.
 */
export function cutBatches(
  { start, bins, counts, leads }: Bucket,
  maxKeys: number,
  maxSpan: number,
): BatchRecord[] {
  if (counts.every((own) => own === 0)) return [];
  // Leads of keys that the sample did not see may be beyond those of the bucket.
  const bounds = counts.map((_, bin) => minOfBin(bin, bins));
  bounds[0] = leads.reduce((least, lead) => Math.min(least, lead), bins.least);
  bounds[RADIX] = leads.reduce((most, lead) => Math.max(most, lead), bins.most);
  const spanOf = (from: number, to: number): number =>
    (bounds[to] as number) - (bounds[from] as number);
  const batches: BatchRecord[] = [];
  let first = start;
  let from = 0;
  let keys = 0;
  for (let bin = 0; bin < RADIX; bin++) {
    const more = keys + (counts[bin] as number);
    if (bin > from && (more > maxKeys || spanOf(from, bin + 1) > maxSpan)) {
      if (keys > 0) batches.push({ first, keys, least: bounds[from]!, span: spanOf(from, bin) });
      first += keys;
      keys = counts[bin] as number;
      from = bin;
    } else keys = more;
  }
  if (keys > 0) batches.push({ first, keys, least: bounds[from]!, span: spanOf(from, RADIX) });
  return batches;
}

/** How words of such leads are cut into `cells`: ((word - base) >> shift) × factor >> 16. */
export function cellScale(
  least: number,
  span: number,
  map: KeyMap,
  cells: number,
): { readonly shift: number; readonly factor: number } {
  const range = lastWordOf(least + span, map) - firstWordOf(least, map);
  const shift = Math.max(bitLength(range) - 16, 0);
  const factor = Math.floor((cells * 2 ** 16) / (Number(range >> BigInt(shift)) + 1));
  return { shift, factor: Math.min(factor, 2 ** 26 - 1) };
}

/** The least word with a lead. */
const firstWordOf = (lead: number, { tail, prefix }: KeyMap): bigint =>
  ((BigInt(prefix) << 32n) | BigInt(lead)) << BigInt(tail);

/** The largest word with a lead. */
const lastWordOf = (lead: number, map: KeyMap): bigint =>
  firstWordOf(lead, map) | ((1n << BigInt(map.tail)) - 1n);
