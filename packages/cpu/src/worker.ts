/** What a worker thread does with a task: its share of a job. Loaded by the thread pool alone. */

import { workerData } from 'piscina';
import { linkKernels } from './arena.js';
import { type JobResult, runJob } from './job.js';
import { Meeting } from './meeting.js';
import type { CrewData, Task } from './threads-node.js';

const { module, memory, threads } = workerData as CrewData;
const kernels = linkKernels(module, memory);
const meeting = new Meeting(memory, threads);

export default function work(task: Task): JobResult | undefined {
  const { thread, job } = task;
  if (job !== undefined) return runJob(job, kernels, memory, meeting, thread);
  const { from, to } = task.touch;
  const at = (t: number): number => from + Math.floor(((to - from) * t) / threads);
  new Uint8Array(memory.buffer, at(thread), at(thread + 1) - at(thread)).fill(0);
  return undefined;
}
