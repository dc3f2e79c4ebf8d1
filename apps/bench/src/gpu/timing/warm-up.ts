/** Work that gets a GPU's clocks up: one that has idled is up to three times too slow for some tenths of a second. */

import { BufferUsage, recorded } from '../device/buffers.js';
import { compileLoop } from '../device/compute.js';
import type { Recording } from './task.js';

const MILLISECONDS = 400;

const BATCH_MILLISECONDS = 40;

/** Left in the queue at the end: what is measured is translated by the driver meanwhile. */
const MILLISECONDS_LEFT = 160;

/** Words that are hashed: more than caches hold. */
const WORDS = 2 ** 24;

/**
 * Keeps the GPU busy, and returns while it has some tenths of a second to go. Not with the work that is measured: short
 * sorts leave gaps, and clocks stay low.
 */
export async function warmUp(device: GPUDevice): Promise<void> {
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
