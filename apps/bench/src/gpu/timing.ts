/**
 * How long the GPU takes for something, without any feature of the device: all that a program sees is when a
 * queue has finished, with some milliseconds of latency and, in Dawn, a millisecond of polling.
 */

import { recorded } from './machine.js';

/** Batches of this length are long beside a millisecond. */
const LEAST_MILLISECONDS = 60;
const MOST_CALLS = 1024;

/** Batches with the work and without it. */
const ROUNDS = 9;
const LATENCY_ROUNDS = 9;

export type Recording = (encoder: GPUCommandEncoder) => void;

/** What is timed. */
export interface Task {
  /** Fresh input for one round. */
  readonly refresh: () => void;
  /** Brings the input to its place; not counted. */
  readonly prepare: Recording;
  readonly work: Recording;
}

export interface Timing {
  /** How often the work was done in a batch. */
  readonly calls: number;
  /** Milliseconds of one piece of work, one number a round. */
  readonly milliseconds: readonly number[];
}

/**
 * Times `work` as the difference between batches with and without it, which have the same latency, in turns. A
 * batch is one submit.
 */
export async function timeWork(device: GPUDevice, task: Task): Promise<Timing> {
  const batch = (calls: number, ...recordings: Recording[]): Promise<number> => {
    const commands = recorded(device, (encoder) => {
      for (let i = 0; i < calls; i++) for (const record of recordings) record(encoder);
    });
    return timeCommands(device, commands);
  };
  const { prepare, work, refresh } = task;
  const full = (calls: number): Promise<number> => batch(calls, prepare, work);
  const empty = (calls: number): Promise<number> => batch(calls, prepare);

  refresh();
  await full(1); // warms up
  const calls = await enoughCalls(full);
  const milliseconds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    refresh();
    const isEven = round % 2 === 0;
    const first = await (isEven ? full : empty)(calls);
    const second = await (isEven ? empty : full)(calls);
    milliseconds.push((isEven ? first - second : second - first) / calls);
  }
  return { calls, milliseconds };
}

async function enoughCalls(time: (calls: number) => Promise<number>): Promise<number> {
  let calls = 1;
  for (;;) {
    const milliseconds = await time(calls);
    if (milliseconds >= LEAST_MILLISECONDS || calls >= MOST_CALLS) return calls;
    const missing = (1.1 * LEAST_MILLISECONDS) / milliseconds;
    calls = Math.min(MOST_CALLS, Math.ceil(calls * Math.min(16, missing)));
  }
}

/** Milliseconds from the submit of one piece of work to the news that it is done, one number a round. */
export async function timeLatency(device: GPUDevice, task: Task): Promise<number[]> {
  const milliseconds: number[] = [];
  for (let round = 0; round < LATENCY_ROUNDS; round++) {
    task.refresh();
    await timeCommands(device, recorded(device, task.prepare));
    const commands = recorded(device, task.work);
    const start = performance.now();
    device.queue.submit([commands]);
    await device.queue.onSubmittedWorkDone();
    milliseconds.push(performance.now() - start);
  }
  return milliseconds;
}

/**
 * Milliseconds until `commands` are done, counted from when `submit` returns: there Dawn has translated
 * them, which takes longer for a batch of small sorts than the GPU does, and handed them over in one piece.
 */
async function timeCommands(device: GPUDevice, commands: GPUCommandBuffer): Promise<number> {
  const { queue } = device;
  await queue.onSubmittedWorkDone();
  queue.submit([commands]);
  const start = performance.now();
  await queue.onSubmittedWorkDone();
  return performance.now() - start;
}
