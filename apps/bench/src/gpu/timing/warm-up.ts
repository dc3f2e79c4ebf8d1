/**
 * Work that raises a GPU's clocks: one that has idled is up to three times too slow for some tenths
 * of a second.
 */

import { BufferUsage, recorded } from '../device/buffers.js';
import { compileLoop } from '../device/compute.js';
import { describeGpu } from '../device/machine.js';
import type { Recording } from '../device/task.js';

const MILLISECONDS = 400;

const BATCH_MILLISECONDS = 40;

/** Left in the queue at the end: meanwhile the driver translates the commands that are measured. */
const MILLISECONDS_LEFT = 160;

/** Words that are hashed: more than caches hold. */
const WORDS = 2 ** 24;

/**
 * Keeps the GPU busy, and returns while it has some tenths of a second to go. The work is not that
 * which is measured: between short sorts there are gaps, and clocks stay low. Software has no
 * clocks, and is left alone.
 */
export async function warmUp(device: GPUDevice): Promise<void> {
  if (describeGpu(device).software) return;
  const { queue } = device;
  const buffer = device.createBuffer({ size: 4 * WORDS, usage: BufferUsage.STORAGE });
  const work = compileLoop(device, {
    declarations: '@group(0) @binding(0) var<storage, read_write> words: array<u32>;',
    each: 'words[i] = hash(words[i] + i);',
    count: WORDS,
    resources: [{ buffer }],
  });
  const submit = (calls: number): void => queue.submit([recorded(device, times(calls, work))]);
  const start = performance.now();
  let calls = 1;
  let taken = 0;
  while (performance.now() - start < MILLISECONDS) {
    const submitted = performance.now();
    submit(calls);
    await queue.onSubmittedWorkDone();
    taken = performance.now() - submitted;
    calls = Math.max(1, Math.min(2 * calls, Math.floor((calls * BATCH_MILLISECONDS) / taken)));
  }
  for (let left = MILLISECONDS_LEFT; left > 0; left -= taken) submit(calls);
  buffer.destroy();
}

const times =
  (calls: number, record: Recording): Recording =>
  (encoder) => {
    for (let i = 0; i < calls; i++) record(encoder);
  };
