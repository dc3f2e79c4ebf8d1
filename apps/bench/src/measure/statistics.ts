/** Numbers out of samples. */

/**
 * The median: the middle sample, or the mean of the two in the middle. Robust against the one sample
 * that something else disturbed.
 * @throws RangeError for no samples.
 */
export function median(samples: readonly number[]): number {
  if (samples.length === 0) throw new RangeError('the median of no samples is not defined');
  const sorted = [...samples].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}
