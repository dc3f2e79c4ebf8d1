/** What a worker thread does with a task: its share of a job. Loaded by the thread pool alone. */

import { workerData } from 'piscina';
import { linkKernels } from './arena.js';
import { Board } from './board.js';
import { runJob } from './job.js';
import type { JobResult } from './seat.js';
import type { CrewData, Task } from './threads-node.js';

const { module, memory } = workerData as CrewData;
const kernels = linkKernels(module, memory);

export default function work({ thread, job, touch }: Task): JobResult | undefined {
  if (job !== undefined) {
    // The thread that started us sees when another one dies, and stops the job.
    const { boardAt, phases } = job.places;
    const board = new Board(memory, boardAt, phases, Number.POSITIVE_INFINITY);
    return runJob(job, kernels, memory, board, thread);
  }
  new Uint8Array(memory.buffer, touch.from, touch.to - touch.from).fill(0);
  return undefined;
}
