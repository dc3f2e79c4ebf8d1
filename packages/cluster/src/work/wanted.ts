/** The sort that a job belongs to, as long as somebody wants its result. */

import type { Job } from 'bullmq';
import { checkParent } from '../jobs/check-job.js';
import type { ParentData, SortSpec } from '../jobs/jobs.js';
import type { Store } from '../store/store.js';

/** Why jobs end whose sort does not go on. */
export const SORT_ENDED: Error = new Error('the sort has ended');

/** The job of a sort that goes on; undefined for one that is cancelled, has ended, or is gone. */
export async function wantedParent(
  { queue }: Pick<Store, 'queue'>,
  id: string,
): Promise<Job<ParentData> | undefined> {
  const parent = (await queue.getJob(id)) as Job<ParentData> | undefined;
  // Nobody has checked the data yet.
  const { cancelled } = (parent?.data ?? {}) as Partial<ParentData>;
  const isWanted = parent?.finishedOn === undefined && cancelled !== true;
  return isWanted ? parent : undefined;
}

/**
 * The description of a sort that goes on, which all its jobs share.
 * @throws UnrecoverableError if the sort does not go on; Refused for data that is no sort's
 */
export async function wantedSpec(store: Store, id: string): Promise<SortSpec> {
  const parent = await wantedParent(store, id);
  if (parent === undefined) throw new store.errors.UnrecoverableError(SORT_ENDED.message);
  return checkParent(parent.data).spec;
}
