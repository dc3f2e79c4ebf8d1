/** What a worker thread does with a task: its share of a job. Loaded by the thread pool alone. */

import { workerData } from 'piscina';
import { linkKernels } from '../../sort/arena.js';
import { type CrewData, doTask, type Share, type Task } from '../task.js';

const { module, memory } = workerData as CrewData;
const kernels = linkKernels(module, memory);

export default function work(task: Task): Share {
  return doTask(task, kernels, memory);
}
