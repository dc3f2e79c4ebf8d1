/** A worker of the benchmark `cluster`, in a process of its own: its argument is the store. */

import { runWorker } from '@keysweep/external/cluster';

const ending = new AbortController();
process.once('disconnect', () => ending.abort());
await runWorker(process.argv[2] as string, { signal: ending.signal });
