/** The twin of kernels/wgsl/sample-sort.wgsl. */

import {
  at,
  bufferOf,
  countRows,
  eachByRows,
  move,
  numberOf,
  type Stage,
  type Twin,
} from './twin.js';

export const takeSamples: Twin = (stage) => {
  const { params, constants } = stage;
  const [keys, samples] = [bufferOf(stage, 'sourceKeys'), bufferOf(stage, 'samples')];
  const distance = numberOf(constants, 'TILE') / numberOf(constants, 'SAMPLES');
  for (let i = 0; i < samples.length; i++) {
    const place = (i + 1) * distance - 1;
    samples[i] = place < numberOf(params, 'count') ? at(keys, place) : 0xffffffff;
  }
};

/** What tells the bucket of a place: twice the cuts below its key, one more where it equals one. */
function bucketsOf(stage: Stage): (place: number) => number {
  const { params, constants } = stage;
  const [keys, samples] = [bufferOf(stage, 'sourceKeys'), bufferOf(stage, 'samples')];
  const cuts = Array.from({ length: numberOf(constants, 'SAMPLES') - 1 }, (_, i) =>
    at(samples, (i + 1) * numberOf(params, 'tiles') - 1),
  );
  return (place) => {
    const key = at(keys, place);
    const below = cuts.filter((cut) => cut < key).length;
    return 2 * below + Number(cuts.includes(key));
  };
}

export const countBuckets: Twin = (stage) =>
  countRows(stage, numberOf(stage.constants, 'BUCKETS'), bucketsOf(stage));

export const scatter: Twin = (stage) =>
  eachByRows(stage, bucketsOf(stage), (from, to) => move(stage, from, to));

export const findRanges: Twin = (stage) => {
  const { params, constants } = stage;
  const [counts, ranges] = [bufferOf(stage, 'counts'), bufferOf(stage, 'ranges')];
  const buckets = numberOf(constants, 'BUCKETS');
  const startOf = (bucket: number): number =>
    bucket === buckets ? numberOf(params, 'count') : at(counts, bucket * numberOf(params, 'tiles'));
  for (let bucket = 0; bucket < buckets; bucket += 2) {
    ranges[bucket] = startOf(bucket);
    ranges[bucket + 1] = startOf(bucket + 1);
  }
};
