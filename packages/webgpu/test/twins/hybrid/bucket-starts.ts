/** The twin of kernels/wgsl/fragments/bucket-starts.wgsl. */

import { CONSTANTS } from '@keysweep/kernels/wgsl';

const { RADIX } = CONSTANTS;

/** A tile of the second split. */
export interface BucketTile {
  readonly first: number;
  readonly keys: number;
  readonly bucket: number;
}

/** The keys before each bucket. */
export function startsOf(buckets: readonly number[]): number[] {
  const starts = new Array<number>(RADIX).fill(0);
  for (const own of buckets) {
    for (let bucket = own + 1; bucket < RADIX; bucket++) {
      starts[bucket] = (starts[bucket] as number) + 1;
    }
  }
  return starts;
}

/** The tiles of all buckets, each of which begins with a tile of its own. */
export function tilesOf(buckets: readonly number[], tile: number): BucketTile[] {
  const tiles: BucketTile[] = [];
  for (const [bucket, start] of startsOf(buckets).entries()) {
    const end = start + buckets.filter((own) => own === bucket).length;
    for (let first = start; first < end; first += tile) {
      tiles.push({ first, keys: Math.min(tile, end - first), bucket });
    }
  }
  return tiles;
}
