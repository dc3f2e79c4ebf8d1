/** A worker of the benchmark `cluster`, in its own process. Arguments: the store, and a folder. */

import { runWorker } from '@keysweep/cluster';

const ending = new AbortController();
process.once('disconnect', () => ending.abort());
const [, , connection, root] = process.argv as [string, string, string, string];
await runWorker(connection, { roots: [root], signal: ending.signal });
