import { median, mediansByName, quantile, summarise } from '@keysweep/conformance/statistics';
import { describe, expect, it } from 'vitest';

describe('median', () => {
  it('is the middle sample, whatever their order', () => {
    expect(median([9, 1, 100])).toBe(9);
    expect(median([7])).toBe(7);
  });

  it('is the mean of the two in the middle', () => {
    expect(median([10, 1, 2, 3])).toBe(2.5);
  });

  it('compares numbers, not texts, and leaves the samples as they are', () => {
    const samples = [10, 9, 100];
    expect(median(samples)).toBe(10);
    expect(samples).toEqual([10, 9, 100]);
  });

  it('rejects no samples with a RangeError', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

it('summarise gives median, quartiles and least, between samples where they have to be', () => {
  expect(summarise([4, 1, 3, 2])).toEqual({ median: 2.5, first: 1.75, third: 3.25, least: 1 });
  expect(summarise([5])).toEqual({ median: 5, first: 5, third: 5, least: 5 });
  expect(summarise([])).toEqual({ median: NaN, first: NaN, third: NaN, least: NaN });
});

it('quantile reaches both ends', () => {
  expect([0, 0.5, 1].map((at) => quantile([1, 2, 10], at))).toEqual([1, 2, 10]);
});

it('mediansByName takes the median of each name over the records that have it', () => {
  expect(mediansByName([{ upload: 1, sort: 5 }, { sort: 7 }, { upload: 3, sort: 6 }])).toEqual({
    upload: 2,
    sort: 6,
  });
});
