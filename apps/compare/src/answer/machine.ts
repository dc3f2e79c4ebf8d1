/** A machine in one line. */

import { type Facts, gpuOf } from '../device/facts.js';

/** "Chrome 147 on Windows, 16 threads, NVIDIA GeForce RTX 3080". */
export function describeMachine(facts: Facts): string {
  const { browser, threads } = facts;
  const gpu = gpuOf(facts) ?? 'no GPU';
  return `${browser}, ${threads} ${threads === 1 ? 'thread' : 'threads'}, ${gpu}`;
}
