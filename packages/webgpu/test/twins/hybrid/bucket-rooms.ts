/** The twin of kernels/wgsl/fragments/bucket-rooms.wgsl, and of how its rooms come about. */

/** One key in how many is counted: so that about `countedKeys` are, of `count`. */
export const strideOf = (count: number, countedKeys: number): number =>
  2 ** Math.max(0, Math.clz32(countedKeys) - Math.clz32(count));

/** The keys that are counted then, by their indices: in blocks of 32 bytes. */
export function countedPlaces(count: number, stride: number, keyWords: 1 | 2): number[] {
  const counted = Math.floor(count / stride);
  const neighbours = 8 / keyWords;
  return Array.from({ length: counted }, (_, number) => {
    const block = Math.floor(number / neighbours);
    const mixed = Math.imul(block ^ (block >>> 16), 0x7feb352d);
    const place = block * stride + ((mixed >>> 15) % stride);
    return Math.min(place * neighbours + (number % neighbours), counted * stride - 1);
  });
}

/** Places, of `count`, that begin the room of each bucket, by the buckets of the keys counted. */
export function roomsOf(counted: readonly number[], stride: number, buckets: number): number[] {
  return Array.from(
    { length: buckets },
    (_, bucket) => stride * counted.filter((own) => own < bucket).length,
  );
}
