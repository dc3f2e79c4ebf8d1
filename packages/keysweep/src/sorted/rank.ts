/** rank: the place of each key in the order of all, with a rule for keys that tie. */

import {
  bitsOf,
  copyOf,
  emptyLike,
  type KeyArray,
  type OnArrayBuffer,
  type Order,
  pickSteps,
} from '@keysweep/core';
import { startsOfRuns } from './runs.js';
import { SLICE, type Steps } from './steps.js';

/** How keys that tie are ranked. */
export type Ties = 'min' | 'max' | 'dense' | 'ordinal' | 'average';

/** The steps of `rank`. */
export function* rankSteps(
  given: KeyArray,
  order: Order,
  ties: Ties,
): Steps<OnArrayBuffer<Uint32Array | Float64Array>> {
  const copy: KeyArray = copyOf(given);
  const rows = (yield { argsort: copy, order }) as Uint32Array;
  const ranks = ties === 'average' ? new Float64Array(copy.length) : new Uint32Array(copy.length);
  if (ties === 'ordinal') {
    for (let i = 0; i < rows.length; i++) ranks[rows[i] as number] = i;
    return ranks;
  }
  const sorted = emptyLike(copy);
  for (const _ of pickSteps(copy, rows, bitsOf(sorted))) yield 0;
  const starts = yield* startsOfRuns(sorted);
  const fill = ties === 'dense' ? rankDense : rankRuns;
  // How far after the first rank of a run, from `start` to `end`, the rank of all of it lies.
  const share = { min: 0, max: 1, dense: 0, average: 0.5 }[ties];
  for (let from = 0, to = 0; from < starts.length - 1; from = to) {
    const stop = (starts[from] as number) + SLICE;
    while (to < starts.length - 1 && (starts[to] as number) < stop) to++;
    fill(ranks, rows, starts, share, from, to);
    yield (starts[to] as number) / rows.length;
  }
  return ranks;
}

/** Gives all rows of each of the runs [from, to) one rank. */
function rankRuns(
  ranks: Uint32Array | Float64Array,
  rows: Uint32Array,
  starts: Uint32Array,
  share: number,
  from: number,
  to: number,
): void {
  for (let run = from; run < to; run++) {
    const start = starts[run] as number;
    const end = starts[run + 1] as number;
    const rank = start + share * (end - 1 - start);
    for (let i = start; i < end; i++) ranks[rows[i] as number] = rank;
  }
}

/** Ranks the rows of each run by its number. */
function rankDense(
  ranks: Uint32Array | Float64Array,
  rows: Uint32Array,
  starts: Uint32Array,
  _: number,
  from: number,
  to: number,
): void {
  for (let run = from; run < to; run++) {
    const end = starts[run + 1] as number;
    for (let i = starts[run] as number; i < end; i++) ranks[rows[i] as number] = run;
  }
}
