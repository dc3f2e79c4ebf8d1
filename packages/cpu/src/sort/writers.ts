/** What threads do with the caller's arrays, if the calling thread is one of them. */

import type { Result } from '@keysweep/core';
import { PLACED_WORDS } from '../arena/layout.js';
import type { ColumnJob, Writing } from './arena-threads.js';
import { type Commit, commits } from './early-commit.js';
import { NONE_SHARED, type SharedArrays } from './job-context.js';
import { sharedOf } from './shared-arrays.js';

/** How the job of a column is written by threads that can be handed arrays. */
export function writeShared(column: ColumnJob): Writing {
  const arrays: SharedArrays = {
    staged: sharedOf(column.staged.map(({ array }) => array)),
    results: sharedOf(column.targets.map(({ target }) => target)),
  };
  return { arrays, commit: commitOf(column, arrays) };
}

/** How the job of a column is written by the calling thread, with threads that get no arrays. */
export const writeAlone = (column: ColumnJob): Writing => ({
  arrays: NONE_SHARED,
  commit: commitOf(column, NONE_SHARED),
});

/** How results are written while the job of the last column runs, if they can be. */
function commitOf(
  { request, buffer, job, resultsAt, begin }: ColumnJob,
  { results }: SharedArrays,
): Commit | undefined {
  if (results.length > 0) return commits.shared(request, resultsAt, begin);
  const isOneArray = request.columns.length === 1 && request.values === undefined;
  const { arena, plan, length, keysAt } = job;
  if (!isOneArray || arena.threads === 1) return undefined;
  new Uint32Array(buffer, arena.placedAt, PLACED_WORDS).fill(0);
  const at = request.shape.operation === 'argsort' ? keysAt : arena.recordsAt;
  const [whole] = resultsAt([at]) as [Result<Uint32Array>];
  const words = new Uint32Array(buffer, arena.spareAt, (plan.stride / 4) * length);
  return commits.early(request, whole, words, begin);
}
