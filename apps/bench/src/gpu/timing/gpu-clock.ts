/** Time by the GPU's own clock: a timestamp before and after every piece of work. */

import { BufferUsage, readBuffer, recorded } from '../device/buffers.js';
import type { Task, Timing } from '../device/task.js';
import { warmUp } from './warm-up.js';

const ROUNDS = 15;

/** A query set holds no more. */
const MAX_TASKS = Math.floor(4096 / 2 / ROUNDS);

/**
 * Times every task once a round. All rounds are recorded before the GPU is warmed up, and submitted
 * while it is still busy with that: it has no rest in which its clocks could fall. The device has
 * 'timestamp-query'.
 * @throws Error when the timestamps don't advance, as on drivers that leave out empty
 * passes.
 */
export async function timeByGpu(device: GPUDevice, tasks: readonly Task[]): Promise<Timing[]> {
  if (tasks.length > MAX_TASKS) throw new RangeError(`more than ${MAX_TASKS} tasks take turns`);
  const { COPY_SRC, QUERY_RESOLVE } = BufferUsage;
  const count = 2 * ROUNDS * tasks.length;
  const querySet = device.createQuerySet({ type: 'timestamp', count });
  const resolved = device.createBuffer({ size: 8 * count, usage: QUERY_RESOLVE | COPY_SRC });
  const commands: GPUCommandBuffer[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    for (let turn = 0; turn < tasks.length; turn++) {
      // Each round begins with another task.
      const at = (turn + round) % tasks.length;
      const { refresh, prepare, work, check } = tasks[at] as Task;
      const query = 2 * (round * tasks.length + at);
      const before = timestamp(querySet, query);
      const after = timestamp(querySet, query + 1);
      commands.push(recorded(device, refresh, prepare, before, work, after, check));
    }
  }
  commands.push(
    recorded(device, (encoder) => encoder.resolveQuerySet(querySet, 0, count, resolved, 0)),
  );
  await warmUp(device);
  // One by one: a driver that refuses work which takes seconds gets none.
  for (const one of commands) device.queue.submit([one]);
  const times = new BigUint64Array(await readBuffer(device, resolved));
  querySet.destroy();
  resolved.destroy();
  return tasks.map((_, task) => ({
    clock: 'gpu',
    calls: 1,
    milliseconds: Array.from({ length: ROUNDS }, (_, round) =>
      between(times, 2 * (round * tasks.length + task)),
    ),
  }));
}

/** The work records passes of its own, so the timestamps are in empty ones around them. */
const timestamp =
  (querySet: GPUQuerySet, index: number) =>
  (encoder: GPUCommandEncoder): void =>
    encoder.beginComputePass({ timestampWrites: { querySet, endOfPassWriteIndex: index } }).end();

function between(times: BigUint64Array, at: number): number {
  const nanoseconds = Number((times[at + 1] as bigint) - (times[at] as bigint));
  if (nanoseconds > 0) return nanoseconds / 1e6;
  throw new Error("the GPU's timestamps don't advance: try --clock host");
}
