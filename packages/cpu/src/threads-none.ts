/** Where there are no threads: in a page the kernels run on the calling thread. */

import type { startCrew as startNodeCrew } from './threads-node.js';

/** One thread, the caller's own, is all there is. */
export function defaultThreads(): number {
  return 1;
}

/** No crew can be started here. */
export const startCrew: typeof startNodeCrew | undefined = undefined;
