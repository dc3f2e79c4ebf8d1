/** Whether a sort goes on. */

import type { Job } from 'bullmq';
import type { ParentData } from './jobs.js';
import type { Store } from './store.js';

/** Why jobs end whose sort does not go on. */
export const SORT_ENDED: Error = new Error('the sort has ended');

/** The job of a sort that goes on; undefined for one that is cancelled, has ended, or is gone. */
export async function wantedParent(
  { queue }: Pick<Store, 'queue'>,
  id: string,
): Promise<Job<ParentData> | undefined> {
  const parent = (await queue.getJob(id)) as Job<ParentData> | undefined;
  const isWanted = parent?.finishedOn === undefined && parent?.data.cancelled !== true;
  return isWanted ? parent : undefined;
}

/** The job of a sort. @throws UnrecoverableError where it does not go on */
export async function assertWanted(store: Store, id: string): Promise<Job<ParentData>> {
  const parent = await wantedParent(store, id);
  if (parent === undefined) throw new store.errors.UnrecoverableError(SORT_ENDED.message);
  return parent;
}
