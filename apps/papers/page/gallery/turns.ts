/** Times of two sorts that take turns. */

import { median } from '@keysweep/conformance/statistics';

/** Sorts once, and says how many milliseconds that took. */
export type Timed = () => number | Promise<number>;

/** The medians of both after `turns` turns; a first one, which warms up, is not counted. */
export async function medianOfTurns(
  turns: number,
  [first, second]: readonly [Timed, Timed],
): Promise<[number, number]> {
  const samples: [number[], number[]] = [[], []];
  for (let turn = 0; turn <= turns; turn++) {
    const pair = [await first(), await second()] as const;
    if (turn === 0) continue;
    samples[0].push(pair[0]);
    samples[1].push(pair[1]);
  }
  return [median(samples[0]), median(samples[1])];
}
