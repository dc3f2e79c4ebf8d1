/** A worker thread in Node: does its tasks of a job. Loaded by the thread pool alone. */

import { workerData } from 'piscina';
import { linkKernels } from '../../sort/arena.js';
import { doTask, type Task, type TaskResult, type WorkerSetup } from '../task.js';

const { module, memory } = workerData as WorkerSetup;
const kernels = linkKernels(module, memory);

export default function work(task: Task): TaskResult {
  return doTask(task, kernels, memory);
}
