/**
 * The code of a thread of node-threads.ts: does its tasks of a job. The build makes a text of it.
 */

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { linkKernels } from '../../sort/arena.js';
import { doTask, type Task, type WorkerSetup } from '../task.js';

const { module, memory } = workerData as WorkerSetup;
const kernels = linkKernels(module, memory);
const port = parentPort as MessagePort;

port.on('message', (task: Task) => port.postMessage(doTask(task, kernels, memory)));
