/** Where a sort's time goes, by kernel: each in a pass of its own, between two timestamps. */

import { BLOCKS_AT, PASSES_RUN_AT } from '@keysweep/webgpu/tuning';
import { BufferUsage, readBuffer, recorded } from '../device/buffers.js';
import type { Task } from '../device/task.js';
import { warmUp } from '../timing/warm-up.js';
import { bytesOf, type Sizes } from './bytes.js';
import { busyWorkgroups, type Dispatch, recordApart } from './dispatches.js';

/** A kernel's part in one sort. */
export interface KernelShare {
  readonly kernel: string;
  /** Dispatches with something to do. */
  readonly passes: number;
  /** Bytes that these have to move. */
  readonly bytes: number;
  /** Milliseconds of all its dispatches, one number a round. */
  readonly milliseconds: readonly number[];
}

/** A dispatch that has run. */
interface Run {
  readonly kernel: string;
  readonly workgroups: number;
  readonly milliseconds: number;
}

const MAX_DISPATCHES = 64;

const ROUNDS = 9;

/** A sort that was recorded kernel by kernel, with where its times will be. */
interface Recorded {
  readonly commands: GPUCommandBuffer;
  readonly dispatches: readonly Dispatch[];
  readonly times: GPUBuffer;
  /** The passes that the GPU planned, and the blocks. */
  readonly planned: GPUBuffer;
  readonly querySet: GPUQuerySet;
}

/**
 * Measures the kernels of each task, a sort that makes `plan`, if any. The device has
 * 'timestamp-query'.
 */
export async function profileKernels(
  device: GPUDevice,
  sizes: Sizes,
  tasks: readonly Task[],
  plan: GPUBuffer | undefined,
): Promise<KernelShare[][]> {
  // Before the warm-up, as in gpu-clock.ts.
  const rounds = tasks.map((task) =>
    Array.from({ length: ROUNDS }, () => recordRound(device, task, plan)),
  );
  await warmUp(device);
  for (const { commands } of rounds.flat()) device.queue.submit([commands]);
  const shares: KernelShare[][] = [];
  for (const recordings of rounds) {
    const runs: Run[][] = [];
    for (const recording of recordings) runs.push(await readRound(device, recording));
    shares.push(summarise(runs, sizes));
  }
  return shares;
}

function recordRound(
  device: GPUDevice,
  { refresh, prepare, work, check }: Task,
  plan: GPUBuffer | undefined,
): Recorded {
  const { COPY_SRC, COPY_DST, QUERY_RESOLVE } = BufferUsage;
  const count = 2 * MAX_DISPATCHES;
  const querySet = device.createQuerySet({ type: 'timestamp', count });
  const times = device.createBuffer({ size: 8 * count, usage: QUERY_RESOLVE | COPY_SRC });
  const planned = device.createBuffer({ size: 8, usage: COPY_DST | COPY_SRC });
  let dispatches: Dispatch[] = [];
  const apart = (encoder: GPUCommandEncoder): void => {
    dispatches = recordApart(encoder, querySet, work);
    encoder.resolveQuerySet(querySet, 0, 2 * dispatches.length, times, 0);
    if (plan !== undefined) {
      encoder.copyBufferToBuffer(plan, PASSES_RUN_AT, planned, 0, 4);
      encoder.copyBufferToBuffer(plan, BLOCKS_AT, planned, 4, 4);
    }
  };
  const commands = recorded(device, refresh, prepare, apart, check);
  return { commands, dispatches, times, planned, querySet };
}

async function readRound(device: GPUDevice, recording: Recorded): Promise<Run[]> {
  const times = new BigUint64Array(await readBuffer(device, recording.times));
  const planned = new Uint32Array(await readBuffer(device, recording.planned));
  for (const made of [recording.querySet, recording.times, recording.planned]) made.destroy();
  const { dispatches } = recording;
  const [passesRun = 0, blocks = 0] = planned;
  const workgroups = busyWorkgroups(dispatches, { passesRun, blocks });
  return dispatches.map(({ kernel }, i) => ({
    kernel,
    workgroups: workgroups[i] ?? 0,
    milliseconds: Number((times[2 * i + 1] as bigint) - (times[2 * i] as bigint)) / 1e6,
  }));
}

function summarise(rounds: readonly Run[][], sizes: Sizes): KernelShare[] {
  const [one = []] = rounds;
  const blocks = one.find(({ kernel }) => kernel === 'upsweep')?.workgroups ?? 0;
  return [...new Set(one.map(({ kernel }) => kernel))].map((name) => {
    const passes = one.filter(({ kernel, workgroups }) => kernel === name && workgroups > 0).length;
    return {
      kernel: name,
      passes,
      bytes: passes * bytesOf(name, sizes, blocks),
      milliseconds: rounds.map((runs) =>
        runs
          .filter(({ kernel }) => kernel === name)
          .reduce((sum, { milliseconds }) => sum + milliseconds, 0),
      ),
    };
  });
}
