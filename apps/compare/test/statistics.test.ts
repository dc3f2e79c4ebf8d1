import { expect, it } from 'vitest';
import { mediansByName, quantile, summarise } from '../src/measure/statistics.js';

it('medians and quartiles lie between samples where they have to', () => {
  expect(summarise([4, 1, 3, 2])).toEqual({ median: 2.5, first: 1.75, third: 3.25, least: 1 });
  expect(summarise([5])).toEqual({ median: 5, first: 5, third: 5, least: 5 });
  expect(summarise([])).toEqual({ median: NaN, first: NaN, third: NaN, least: NaN });
  // Numbers, not texts: 10 comes after 9.
  expect(summarise([10, 9, 100]).median).toBe(10);
});

it('quantiles reach both ends', () => {
  expect([0, 0.5, 1].map((at) => quantile([1, 2, 10], at))).toEqual([1, 2, 10]);
});

it('medians are taken by name, over the records that have it', () => {
  expect(mediansByName([{ upload: 1, sort: 5 }, { sort: 7 }, { upload: 3, sort: 6 }])).toEqual({
    upload: 2,
    sort: 6,
  });
});
