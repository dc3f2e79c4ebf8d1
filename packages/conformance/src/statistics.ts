/** @keysweep/conformance/statistics: medians and quantiles of samples. */

/** A list of samples in four numbers, each in the unit of the samples. */
export interface Summary {
  readonly median: number;
  /** A quarter of the samples is below the first quartile, a quarter above the third. */
  readonly first: number;
  readonly third: number;
  readonly least: number;
}

/** The quantile `at` (0 to 1) of a list in order, linear between samples; NaN of no samples. */
export function quantile(sorted: readonly number[], at: number): number {
  const place = (sorted.length - 1) * at;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Median, quartiles and least of samples in any order; NaN of no samples. */
export function summarise(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    first: quantile(sorted, 0.25),
    third: quantile(sorted, 0.75),
    least: sorted[0] ?? Number.NaN,
  };
}

/**
 * The median: the middle sample, or the mean of the two in the middle. One disturbed sample hardly
 * moves it. `median([10, 1, 2, 3])` is 2.5.
 * @throws RangeError for no samples.
 */
export function median(samples: readonly number[]): number {
  if (samples.length === 0) throw new RangeError('the median of no samples is not defined');
  return summarise(samples).median;
}

/** The median of each name that occurs, over the records that have it. */
export function mediansByName<Name extends string>(
  records: readonly { readonly [name in Name]?: number }[],
): { readonly [name in Name]?: number } {
  const names = new Set(records.flatMap((record) => Object.keys(record) as Name[]));
  const medians: { [name in Name]?: number } = {};
  for (const name of names) {
    medians[name] = median(records.flatMap((record) => record[name] ?? []));
  }
  return medians;
}
