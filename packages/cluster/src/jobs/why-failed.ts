/** Why a sort has failed, by the jobs in the store. */

import { shownLine } from '@keysweep/external/internal';
import type { Job } from 'bullmq';
import type { ChildData, ParentData } from './jobs.js';

/**
 * Whether a job is a child of the sort `parent`. Others in the queue may have any data, or none.
 */
export const isChildOf = (parent: string, { data }: Pick<Job, 'data'>): boolean =>
  (data as Partial<ChildData> | null)?.parent === parent;

/** The reason of the first child among the `failed` jobs of a queue, else the parent's own. */
export function whyFailed(parent: Job<ParentData>, failed: readonly Job[]): string {
  // Those that failed later did so because the sort had ended.
  const [child] = failed
    .filter((job) => isChildOf(parent.id as string, job))
    .sort((a, b) => (a.finishedOn ?? 0) - (b.finishedOn ?? 0));
  const { name, attemptsMade, failedReason } = child ?? parent;
  return shownLine(`${name} failed after ${attemptsMade} attempts: ${failedReason}`);
}
