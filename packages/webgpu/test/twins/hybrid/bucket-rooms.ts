/** The twin of kernels/wgsl/fragments/bucket-rooms.wgsl, and of how its rooms come about. */

/** One key in how many is counted: so that about `countedKeys` are, of `count`. */
export const strideOf = (count: number, countedKeys: number): number =>
  2 ** Math.max(0, Math.clz32(countedKeys) - Math.clz32(count));

/** The keys that are counted then, by their indices. */
export function countedPlaces(count: number, stride: number): number[] {
  return Array.from({ length: Math.floor(count / stride) }, (_, number) => {
    const mixed = Math.imul(number ^ (number >>> 16), 0x7feb352d);
    return number * stride + ((mixed >>> 15) % stride);
  });
}

/** Places, of `count`, that begin the room of each bucket, by the buckets of the keys counted. */
export function roomsOf(counted: readonly number[], stride: number, buckets: number): number[] {
  return Array.from(
    { length: buckets },
    (_, bucket) => stride * counted.filter((own) => own < bucket).length,
  );
}
