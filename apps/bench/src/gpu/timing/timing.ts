/** How long the GPU takes for something. */

import { recorded } from '../device/buffers.js';
import type { Clock, Task, Timing } from '../device/task.js';
import { timeByGpu } from './gpu-clock.js';
import { timeByHost } from './host-clock.js';
import { warmUp } from './warm-up.js';

const LATENCY_ROUNDS = 9;

/**
 * Times tasks on a warm GPU. With its own clock, they take turns, and the device has
 * 'timestamp-query'.
 */
export async function timeWork(
  device: GPUDevice,
  tasks: readonly Task[],
  clock: Clock,
): Promise<Timing[]> {
  // The first time, drivers allocate and translate.
  for (const { refresh, prepare, work, check } of tasks) {
    const commands = recorded(device, refresh, prepare, work, check);
    device.queue.submit([commands]);
  }
  await device.queue.onSubmittedWorkDone();
  if (clock === 'gpu') return timeByGpu(device, tasks);
  const timings: Timing[] = [];
  for (const task of tasks) {
    await warmUp(device);
    timings.push(await timeByHost(device, task));
  }
  return timings;
}

/**
 * Milliseconds from the submit of one piece of work to the news that it is done, one number a
 * round.
 */
export async function timeLatency(device: GPUDevice, task: Task): Promise<number[]> {
  const { queue } = device;
  const milliseconds: number[] = [];
  for (let round = 0; round < LATENCY_ROUNDS; round++) {
    queue.submit([recorded(device, task.refresh, task.prepare)]);
    await queue.onSubmittedWorkDone();
    const commands = recorded(device, task.work);
    const start = performance.now();
    queue.submit([commands]);
    await queue.onSubmittedWorkDone();
    milliseconds.push(performance.now() - start);
    queue.submit([recorded(device, task.check)]);
  }
  return milliseconds;
}
