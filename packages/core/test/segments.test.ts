/** The number of the segment that each row is in. */

import { runAtOnce, segmentNumberSteps } from '@keysweep/core';
import { expect, it } from 'vitest';

/** By definition: how many segments begin at or before a row, less one. */
const numbersOf = (starts: Uint32Array, length: number): Uint32Array =>
  Uint32Array.from({ length }, (_, row) => starts.findLastIndex((start) => start <= row));

it.each([
  [[0], 0],
  [[0], 5],
  [[0, 0, 2, 2, 3], 4],
  [[0, 3, 3], 3],
])('of segments from %j of %i rows', (starts, length) => {
  const given = Uint32Array.from(starts);
  expect(runAtOnce(segmentNumberSteps(given, length))).toEqual(numbersOf(given, length));
});

it.each([
  ['one long segment', Uint32Array.of(0), 100_000],
  ['segments without rows', new Uint32Array(100_000), 10],
])('pauses within %s', (_, starts, length) => {
  const steps = segmentNumberSteps(starts, length);
  let pauses = 0;
  while (!steps.next().done) pauses++;
  expect(pauses).toBeGreaterThanOrEqual(6);
});
