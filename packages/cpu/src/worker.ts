/** What a worker thread does with a task: its share of a job. Loaded by the thread pool alone. */

import { workerData } from 'piscina';
import { linkKernels } from './arena.js';
import { Board, JobStopped, straight } from './board.js';
import { runJob } from './job.js';
import type { CrewData, Share, Task } from './threads-node.js';

const { module, memory } = workerData as CrewData;
const kernels = linkKernels(module, memory);

export default function work({ thread, threads, job, touch }: Task): Share {
  if (job === undefined) {
    new Uint8Array(memory.buffer, touch.from, touch.to - touch.from).fill(0);
    return 'touched';
  }
  // No patience is needed here: whoever started us sees when another thread dies, and stops the job.
  const { boardAt, phases } = job.places;
  const board = new Board(memory, boardAt, phases, Number.POSITIVE_INFINITY);
  board.arrive(threads);
  try {
    return straight(runJob(job, kernels, memory, board, thread));
  } catch (error) {
    // Said by a value: an error's class is lost on its way to another thread.
    if (error instanceof JobStopped) return 'stopped';
    throw error;
  }
}
