/**
 * Survey: one read of the keys finds the smallest and the largest word, and whether keys step up or
 * down. Floor: 4 or 8 bytes read a key.
 */

import { Survey } from './blocks';
import { image } from './order';

/**
 * Surveys `count` >= 1 keys at `keys` (raw bits, 4 or 8 bytes each) into `survey`. Slices of one
 * array overlap by one key, so that steps between slices are seen as well.
 */
export function surveyKeys<K, N>(
  keys: usize, count: usize, flip: K, bias: K, survey: Survey,
): void {
  let before = image<K, N>(load<K>(keys), flip, bias, 0);
  let minimum = before;
  let maximum = before;
  // A float's flip is the mask of its magnitude.
  let least = isFloat<N>() ? load<K>(keys) & flip : <K>0;
  let descends: u32 = 0;
  let ascends: u32 = 0;
  const end = keys + count * sizeof<K>();
  if (sizeof<K>() == 4 && count > 8) {
    const flips = i32x4.splat(<i32>flip);
    const biases = i32x4.splat(<i32>bias);
    // Steps are looked for until there are some both ways: four keys at a time, each compared with
    // the key in front of it by an unaligned second load.
    let falls = i32x4.splat(0);
    let rises = falls;
    let next = keys + 4;
    while (next + 16 <= end && !(v128.any_true(falls) && v128.any_true(rises))) {
      for (const stop = min<usize>(end, next + 128); next + 16 <= stop; next += 16) {
        const words = imagesOf<N>(v128.load(next), flips, biases);
        const earlier = imagesOf<N>(v128.load(next - 4), flips, biases);
        falls = v128.or(falls, v128.lt<u32>(words, earlier));
        rises = v128.or(rises, v128.gt<u32>(words, earlier));
      }
    }
    descends = <u32>v128.any_true(falls);
    ascends = <u32>v128.any_true(rises);
    if (descends && ascends) {
      // The lowest and the highest of the keys as unsigned and as signed numbers: one of these
      // four has the least word, one the largest, and one the least magnitude. NaNs with the sign
      // bit set would hide the number with the least word: it is sought with them at the bottom.
      const turns = v128.and(biases, flips);
      let lowU = v128.load(keys);
      let lowS = lowU;
      let highU = lowU;
      let highS = lowU;
      let highT = i32x4.add(lowU, turns);
      for (; keys + 32 <= end; keys += 32) {
        const a = v128.load(keys);
        const b = v128.load(keys, 16);
        lowU = v128.min<u32>(lowU, v128.min<u32>(a, b));
        lowS = v128.min<i32>(lowS, v128.min<i32>(a, b));
        highU = v128.max<u32>(highU, v128.max<u32>(a, b));
        highS = v128.max<i32>(highS, v128.max<i32>(a, b));
        if (isFloat<N>()) {
          const turned = v128.max<u32>(i32x4.add(a, turns), i32x4.add(b, turns));
          highT = v128.max<u32>(highT, turned);
        }
      }
      if (isFloat<N>()) {
        least = <K>lowest(v128.min<u32>(v128.and(lowU, flips), v128.and(lowS, flips)));
      }
      lowU = imagesOf<N>(lowU, flips, biases);
      lowS = imagesOf<N>(lowS, flips, biases);
      highU = imagesOf<N>(highU, flips, biases);
      highS = imagesOf<N>(highS, flips, biases);
      highT = imagesOf<N>(i32x4.sub(highT, turns), flips, biases);
      minimum = <K>lowest(v128.min<u32>(v128.min<u32>(lowU, lowS), highT));
      maximum = <K>highest(v128.max<u32>(v128.max<u32>(highU, highS), lowS));
    } else {
      // If they are in order, the first and the last have the least and the largest word.
      const first = load<K>(keys);
      const last = load<K>(next - 4);
      const word = image<K, N>(last, flip, bias, 0);
      minimum = min<K>(before, word);
      maximum = max<K>(before, word);
      least = (first ^ last) > flip ? 0 : min<K>(least, last & flip);
      keys = next;
    }
    before = image<K, N>(load<K>(keys - sizeof<K>()), flip, bias, 0);
  }
  if (sizeof<K>() == 8 && count > 4) {
    // Two keys at a time, four a round, as signed numbers: with half of all words subtracted.
    const flips = i64x2.splat(<i64>flip);
    const biases = i64x2.splat(<i64>bias ^ i64.MIN_VALUE);
    let words = i64x2.splat(<i64>before ^ i64.MIN_VALUE);
    let minima = words;
    let maxima = words;
    let magnitudes = i64x2.splat(<i64>least);
    let falls = i64x2.splat(0);
    let rises = falls;
    keys += 8;
    for (; keys + 32 <= end; keys += 32) {
      const earlier = words;
      const two = v128.load(keys);
      const next = v128.load(keys, 16);
      const middle = longImagesOf<N>(two, flips, biases);
      words = longImagesOf<N>(next, flips, biases);
      if (isFloat<N>()) {
        magnitudes = lesser(lesser(magnitudes, v128.and(two, flips)), v128.and(next, flips));
      }
      const front = v128.shuffle<u64>(earlier, middle, 1, 2);
      const back = v128.shuffle<u64>(middle, words, 1, 2);
      falls = v128.or(falls, v128.or(v128.gt<i64>(front, middle), v128.gt<i64>(back, words)));
      rises = v128.or(rises, v128.or(v128.gt<i64>(middle, front), v128.gt<i64>(words, back)));
      const isLess = v128.gt<i64>(middle, words);
      const low = v128.bitselect(words, middle, isLess);
      const high = v128.bitselect(middle, words, isLess);
      minima = v128.bitselect(low, minima, v128.gt<i64>(minima, low));
      maxima = v128.bitselect(high, maxima, v128.gt<i64>(high, maxima));
    }
    const low = min<i64>(v128.extract_lane<i64>(minima, 0), v128.extract_lane<i64>(minima, 1));
    const high = max<i64>(v128.extract_lane<i64>(maxima, 0), v128.extract_lane<i64>(maxima, 1));
    minimum = <K>(low ^ i64.MIN_VALUE);
    maximum = <K>(high ^ i64.MIN_VALUE);
    const first = v128.extract_lane<i64>(magnitudes, 0);
    least = <K>min<i64>(first, v128.extract_lane<i64>(magnitudes, 1));
    descends = <u32>v128.any_true(falls);
    ascends = <u32>v128.any_true(rises);
    before = <K>(v128.extract_lane<i64>(words, 1) ^ i64.MIN_VALUE);
  }
  for (; keys < end; keys += sizeof<K>()) {
    const now = image<K, N>(load<K>(keys), flip, bias, 0);
    if (isFloat<N>()) least = min<K>(least, load<K>(keys) & flip);
    if (now < minimum) minimum = now;
    if (now > maximum) maximum = now;
    descends |= u32(now < before);
    ascends |= u32(now > before);
    before = now;
  }
  survey.minimum = <u64>minimum;
  survey.maximum = <u64>maximum;
  survey.least = <u64>least;
  survey.descends = descends;
  survey.ascends = ascends;
}

/** Adds `count` surveys up to `sum`. They lie `step` bytes apart, the first at `surveys`. */
export function addSurveys(surveys: usize, count: u32, step: usize, sum: Survey): void {
  sum.minimum = u64.MAX_VALUE;
  sum.maximum = 0;
  sum.least = u64.MAX_VALUE;
  sum.descends = 0;
  sum.ascends = 0;
  for (let i: u32 = 0; i < count; i++) {
    const survey = changetype<Survey>(surveys + <usize>i * step);
    sum.minimum = min<u64>(sum.minimum, survey.minimum);
    sum.maximum = max<u64>(sum.maximum, survey.maximum);
    sum.least = min<u64>(sum.least, survey.least);
    sum.descends |= survey.descends;
    sum.ascends |= survey.ascends;
  }
}

/** `image` for four 32-bit keys. */
@inline
function imagesOf<N>(keys: v128, flips: v128, biases: v128): v128 {
  return isFloat<N>()
    ? v128.sub<i32>(v128.xor(keys, v128.and(v128.shr<i32>(keys, 31), flips)), biases)
    : v128.sub<i32>(keys, biases);
}

/** `image` for two 64-bit keys. */
@inline
function longImagesOf<N>(keys: v128, flips: v128, biases: v128): v128 {
  // There is no shift by 63 bits in SSE.
  return isFloat<N>()
    ? v128.sub<i64>(v128.xor(keys, v128.and(v128.gt<i64>(i64x2.splat(0), keys), flips)), biases)
    : v128.sub<i64>(keys, biases);
}

/** The smaller of each two signed numbers. */
@inline
function lesser(some: v128, others: v128): v128 {
  return v128.bitselect(others, some, v128.gt<i64>(some, others));
}

@inline
function lowest(words: v128): u32 {
  const a = min<u32>(v128.extract_lane<u32>(words, 0), v128.extract_lane<u32>(words, 1));
  const b = min<u32>(v128.extract_lane<u32>(words, 2), v128.extract_lane<u32>(words, 3));
  return min<u32>(a, b);
}

@inline
function highest(words: v128): u32 {
  const a = max<u32>(v128.extract_lane<u32>(words, 0), v128.extract_lane<u32>(words, 1));
  const b = max<u32>(v128.extract_lane<u32>(words, 2), v128.extract_lane<u32>(words, 3));
  return max<u32>(a, b);
}

/**
 * Reads a word of each cache line of `bytes` (rounded down to such) at `from`: brings memory that a
 * scatter is about to write at random into the caches, in the order in which that is fast. Returns
 * the sum of the words, so that no compiler leaves them out.
 */
export function warmUp(from: usize, bytes: usize): u32 {
  let sum: u32 = 0;
  for (const end = from + (bytes & ~63); from < end; from += 64) sum += load<u32>(from);
  return sum;
}
