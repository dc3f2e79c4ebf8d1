/** Ranges of words. */

/** The least and the largest word, in halves: integers of 64 bits would be slow. */
export interface Range {
  leastLow: number;
  leastHigh: number;
  mostLow: number;
  mostHigh: number;
}

const ALL = 2 ** 32 - 1;

/** The range of no words. */
export const emptyRange = (): Range => ({
  leastLow: ALL,
  leastHigh: ALL,
  mostLow: 0,
  mostHigh: 0,
});

/** Widens a range by words [from, to) of 32 bits. */
export function widenByLows(range: Range, lows: Uint32Array, from: number, to: number): void {
  // With the top bit inverted words compare as signed integers, which need no conversion.
  const top = 1 << 31;
  let [least, most] = [range.leastLow ^ top, range.mostLow ^ top];
  for (let i = from; i < to; i++) {
    const word = (lows[i] as number) ^ top;
    least = Math.min(least, word);
    most = Math.max(most, word);
  }
  range.leastLow = (least ^ top) >>> 0;
  range.mostLow = (most ^ top) >>> 0;
  range.leastHigh = 0;
}
