/**
 * Merge sort with vectors of four keys: runs of four by a network over columns, then merges whose
 * inner step is a bitonic network of eight keys.
 *
 * Merges of up to BLOCK keys stay in a cache; above that, each pass goes through memory.
 * Bytes a key: 8 for the first runs and those of a block, and 8 a pass above: log2(count / BLOCK).
 * Operations a key: log2(count / 4) × (3 vector comparisons of two instructions and 5 shuffles for
 * four keys, and one branch that nobody can predict).
 * Source: Satish, Kim, Chhugani et al., "Fast sort on CPUs and GPUs", 2010, pages 351 to 362, its
 * merge sort; Chhugani et al., "Efficient implementation of sorting on multi-core SIMD CPU
 * architecture", 2008.
 */

/** Bytes of a vector, and of a block: 2^14 keys, an even number of merges of runs of four. */
const VECTOR: usize = 16;
const BLOCK: usize = 4 << 14;

/**
 * Sorts `count` keys, a multiple of 4, with as many words at `other`. Returns the address of the
 * result: `keys` or `other`. Not stable; nobody can tell, for keys alone.
 */
export function mergeSort(keys: usize, other: usize, count: u32): usize {
  const bytes = <usize>count << 2;
  for (let start: usize = 0; start < bytes; start += BLOCK) {
    const size = min(BLOCK, bytes - start);
    sortVectors(keys + start, size);
    let from = keys + start;
    let to = other + start;
    for (let run = VECTOR; run < BLOCK; run <<= 1) {
      mergePass(from, to, size, run);
      const swapped = from;
      from = to;
      to = swapped;
    }
  }
  let from = keys;
  let to = other;
  for (let run = BLOCK; run < bytes; run <<= 1) {
    mergePass(from, to, bytes, run);
    const swapped = from;
    from = to;
    to = swapped;
  }
  return from;
}

/** Sorts each vector: sixteen keys at a time, the rest one by one. */
function sortVectors(keys: usize, bytes: usize): void {
  let at = keys;
  for (const end = keys + (bytes & ~63); at < end; at += 64) {
    const a = v128.load(at), b = v128.load(at, 16), c = v128.load(at, 32), d = v128.load(at, 48);
    // Columns, by five comparisons.
    const a1 = i32x4.min_u(a, b), b1 = i32x4.max_u(a, b);
    const c1 = i32x4.min_u(c, d), d1 = i32x4.max_u(c, d);
    const a2 = i32x4.min_u(a1, c1), c2 = i32x4.max_u(a1, c1);
    const b2 = i32x4.min_u(b1, d1), d2 = i32x4.max_u(b1, d1);
    const b3 = i32x4.min_u(b2, c2), c3 = i32x4.max_u(b2, c2);
    // Columns become vectors.
    const ab = v128.shuffle<u32>(a2, b3, 0, 4, 1, 5), ab2 = v128.shuffle<u32>(a2, b3, 2, 6, 3, 7);
    const cd = v128.shuffle<u32>(c3, d2, 0, 4, 1, 5), cd2 = v128.shuffle<u32>(c3, d2, 2, 6, 3, 7);
    v128.store(at, v128.shuffle<u32>(ab, cd, 0, 1, 4, 5));
    v128.store(at, v128.shuffle<u32>(ab, cd, 2, 3, 6, 7), 16);
    v128.store(at, v128.shuffle<u32>(ab2, cd2, 0, 1, 4, 5), 32);
    v128.store(at, v128.shuffle<u32>(ab2, cd2, 2, 3, 6, 7), 48);
  }
  for (const end = keys + bytes; at < end; at += VECTOR) {
    for (let i = at + 4; i < at + VECTOR; i += 4) {
      const key = load<u32>(i);
      let place = i;
      for (; place > at && load<u32>(place - 4) > key; place -= 4) {
        store<u32>(place, load<u32>(place - 4));
      }
      store<u32>(place, key);
    }
  }
}

/** Merges each two runs of `run` bytes of `bytes`. */
function mergePass(from: usize, to: usize, bytes: usize, run: usize): void {
  for (let start: usize = 0; start < bytes; start += run << 1) {
    const middle = min(start + run, bytes);
    merge(from + start, from + middle, from + min(middle + run, bytes), to + start);
  }
}

/** Merges [first, second) and [second, end). */
function merge(first: usize, second: usize, end: usize, target: usize): void {
  if (second == end) {
    memory.copy(target, first, second - first);
    return;
  }
  let a = first + VECTOR;
  let b = second + VECTOR;
  let to = target;
  let next = v128.load(first);
  let left = v128.load(second);
  while (true) {
    const mirrored = v128.shuffle<u32>(left, left, 3, 2, 1, 0);
    v128.store(to, sortHalf(i32x4.min_u(next, mirrored)));
    left = sortHalf(i32x4.max_u(next, mirrored));
    to += VECTOR;
    if (a < second && (b == end || load<u32>(a) <= load<u32>(b))) {
      next = v128.load(a);
      a += VECTOR;
    } else if (b < end) {
      next = v128.load(b);
      b += VECTOR;
    } else {
      v128.store(to, left);
      return;
    }
  }
}

/** Four keys that first rise, then fall, in order. */
@inline
function sortHalf(keys: v128): v128 {
  const far = v128.shuffle<u32>(keys, keys, 2, 3, 0, 1);
  const half = v128.shuffle<u32>(i32x4.min_u(keys, far), i32x4.max_u(keys, far), 0, 1, 4, 5);
  const near = v128.shuffle<u32>(half, half, 1, 0, 3, 2);
  return v128.shuffle<u32>(i32x4.min_u(half, near), i32x4.max_u(half, near), 0, 4, 2, 6);
}
