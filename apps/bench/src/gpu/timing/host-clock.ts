/**
 * Time without any feature of the device: all that a program sees is when a queue has finished,
 * with some milliseconds of latency and, in Dawn, a millisecond of polling.
 */

import { recorded } from '../device/buffers.js';
import type { Recording, Task, Timing } from '../device/task.js';

/** Batches of this length are long beside a millisecond. */
const MIN_MILLISECONDS = 60;
const MAX_CALLS = 1024;

/** Batches with the work and without it. */
const ROUNDS = 9;

/**
 * Times `work` as the difference between batches with and without it, which have the same latency,
 * in turns. A batch is one submit.
 */
export async function timeByHost(device: GPUDevice, task: Task): Promise<Timing> {
  const batch = (calls: number, ...recordings: Recording[]): Promise<number> => {
    const commands = recorded(device, (encoder) => {
      for (let i = 0; i < calls; i++) for (const record of recordings) record(encoder);
    });
    return timeCommands(device, commands);
  };
  const { prepare, work, check } = task;
  const refresh = (): void => device.queue.submit([recorded(device, task.refresh)]);
  const full = (calls: number): Promise<number> => batch(calls, prepare, work);
  const empty = (calls: number): Promise<number> => batch(calls, prepare);

  refresh();
  const calls = await enoughCalls(full);
  const milliseconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    refresh();
    const isEven = round % 2 === 0;
    const first = await (isEven ? full : empty)(calls);
    const second = await (isEven ? empty : full)(calls);
    milliseconds.push((isEven ? first - second : second - first) / calls);
    // What the batch without work has left behind is not sorted.
    if (!isEven) device.queue.submit([recorded(device, check)]);
  }
  return { clock: 'host', calls, milliseconds };
}

async function enoughCalls(time: (calls: number) => Promise<number>): Promise<number> {
  let calls = 1;
  for (;;) {
    const milliseconds = await time(calls);
    if (milliseconds >= MIN_MILLISECONDS || calls >= MAX_CALLS) return calls;
    const missing = (1.1 * MIN_MILLISECONDS) / milliseconds;
    calls = Math.min(MAX_CALLS, Math.ceil(calls * Math.min(16, missing)));
  }
}

/**
 * Milliseconds until `commands` are done, counted from when `submit` returns: there Dawn has
 * translated them, which takes longer for a batch of small sorts than the GPU does, and handed them
 * over in one piece.
 */
async function timeCommands(device: GPUDevice, commands: GPUCommandBuffer): Promise<number> {
  const { queue } = device;
  await queue.onSubmittedWorkDone();
  queue.submit([commands]);
  const start = performance.now();
  await queue.onSubmittedWorkDone();
  return performance.now() - start;
}
