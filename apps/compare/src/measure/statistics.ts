/** What is said of a list of samples. */

export interface Summary {
  readonly median: number;
  /** A quarter of the samples is below the first, a quarter above the third. */
  readonly first: number;
  readonly third: number;
  readonly least: number;
}

/** The quantile `at` (0 to 1) of a list that is in order: linear between samples. */
export function quantile(sorted: readonly number[], at: number): number {
  const place = (sorted.length - 1) * at;
  const [below, above] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  if (below === undefined || above === undefined) return Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** Median and quartiles; NaN of no samples. */
export function summarise(samples: readonly number[]): Summary {
  const sorted = [...samples].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    first: quantile(sorted, 0.25),
    third: quantile(sorted, 0.75),
    least: sorted[0] ?? Number.NaN,
  };
}

export const median = (samples: readonly number[]): number => summarise(samples).median;

/**
 * The median of each name that occurs, over the records that have it.
 */
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
