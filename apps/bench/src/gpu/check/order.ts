/** Whether a sort on the GPU went right, for arrays too long for a second sort. */

/** Records before and after. */
export interface Sorted {
  /** Words of a key, the low one first. */
  readonly width: 1 | 2;
  readonly before: Uint32Array | Float32Array;
  readonly after: Uint32Array | Float32Array;
  /** Afterwards; before, every key had its index. */
  readonly values: Uint32Array | undefined;
}

/**
 * undefined, or what is wrong. Pairs are proved right: each is the one that its value points to, and none
 * comes twice, as key and index strictly ascend. Keys are in order, and their sum and parity are as before.
 */
export function faultOf({ width, before, after, values }: Sorted): string | undefined {
  const compare = (a: Uint32Array | Float32Array, i: number, b: typeof a, j: number): number => {
    for (let word = width - 1; word >= 0; word--) {
      const difference = (a[i * width + word] as number) - (b[j * width + word] as number);
      if (difference !== 0) return difference;
    }
    return 0;
  };
  const length = after.length / width;
  for (let i = 1; i < length; i++) {
    const step = compare(after, i - 1, after, i);
    if (step > 0) return `key ${i} is smaller than the one before it`;
    if (step === 0 && values && (values[i - 1] as number) >= (values[i] as number)) {
      return `value ${i} has overtaken the one before it, of an equal key`;
    }
  }
  if (values === undefined) return checksum(before) === checksum(after) ? undefined : 'other keys';
  for (let i = 0; i < length; i++) {
    const at = values[i] as number;
    // Of an index that is outside, the difference is NaN.
    if (compare(after, i, before, at) !== 0) return `value ${i} is not that of key ${i}`;
  }
  return undefined;
}

/** Of 32-bit words, in any order: their sum modulo 2^32, and the parity of every bit. */
function checksum(keys: Uint32Array | Float32Array): string {
  const words = new Uint32Array(keys.buffer, keys.byteOffset, keys.length);
  let [sum, parity] = [0, 0];
  for (let i = 0; i < words.length; i++) {
    sum = (sum + (words[i] as number)) | 0;
    parity ^= words[i] as number;
  }
  return `${sum} ${parity}`;
}
