/** Measures a sort of a paper beside RadixSorter, on keys that are in GPU buffers already. */

import { recorded } from '@keysweep/bench/gpu/device/buffers.js';
import type { Recording } from '@keysweep/bench/gpu/device/task.js';
import { DeviceRecords } from '@keysweep/bench/gpu/inputs/device-records.js';
import { gpuName } from '@keysweep/compare/device/facts.js';
import { openDevice } from '@keysweep/compare/run/gpu-device.js';
import { Random } from '@keysweep/conformance/data';
import { type Algorithm, PaperSorter } from '@keysweep/papers';
import { RadixSorter, webgpu } from '@keysweep/webgpu';
import type { Rate } from './rate.js';
import { medianOfTurns, type Timed } from './turns.js';

/** Keys of a sort on a GPU, and on a program that stands for one. */
const COUNT = 2 ** 20;
const SOFTWARE_COUNT = 2 ** 11;

/** Sorts behind one another in a sample: the way to the GPU is shared by them. */
const SORTS = 8;

/** Milliseconds of a sort: those of a sample through its sorts. */
export async function gpuRate(algorithm: Algorithm, turns: number, seed: number): Promise<Rate> {
  const backend = webgpu();
  const probe = await backend.probe();
  await backend.close();
  if (!probe.available) throw new Error(`this browser has no WebGPU: ${probe.reason}`);
  const { software: isSoftware, description } = probe.capabilities;
  const count = Math.min(algorithm.maxLength, isSoftware ? SOFTWARE_COUNT : COUNT);
  const device = await openDevice();
  try {
    device.pushErrorScope('validation');
    const hasValues = algorithm.isForPairs === true;
    const theirs = PaperSorter.create(device, algorithm, { count, hasValues });
    const ours = await RadixSorter.create(device, {
      keyType: 'u32',
      valueType: hasValues ? 'u32' : undefined,
      maxCount: count,
    });
    const random = new Random(seed, count);
    const shape = { keyType: 'u32', hasValues, length: count } as const;
    const records = new DeviceRecords(device, shape, ['random'], random);
    device.queue.submit([recorded(device, (encoder) => records.refresh('random', encoder))]);
    const timed =
      (sort: Recording): Timed =>
      async () => {
        const commands = recorded(device, (encoder) => {
          for (let i = 0; i < SORTS; i++) {
            records.copy(encoder);
            sort(encoder);
          }
        });
        await device.queue.onSubmittedWorkDone();
        const start = performance.now();
        device.queue.submit([commands]);
        await device.queue.onSubmittedWorkDone();
        const milliseconds = (performance.now() - start) / SORTS;
        const fault = await records.fault();
        if (fault !== undefined) throw new Error(`a result was wrong: ${fault}`);
        return milliseconds;
      };
    const times = await medianOfTurns(turns, [
      timed((encoder) => theirs.encode(encoder, records.args)),
      timed((encoder) => ours.encode(encoder, records.args)),
    ]);
    const error = await device.popErrorScope();
    if (error !== null) throw new Error(`the GPU refused: ${error.message}`);
    const where = isSoftware ? 'a software renderer' : gpuName(description);
    return { count, where, isSoftware, theirs: times[0], ours: times[1] };
  } finally {
    device.destroy();
  }
}
