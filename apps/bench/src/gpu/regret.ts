/** `regret`: what the dispatcher's choices cost in Node on a machine with a GPU. */

import { cpu } from '@keysweep/cpu';
import { webgpu } from '@keysweep/webgpu';
import { builtin } from 'keysweep';
import { measureRegret } from '../regret/measure.js';
import type { RegretTold } from '../regret/options.js';
import { recorder } from '../regret/record.js';
import { describeGpu, formatGpu, type GpuMachine } from './device/machine.js';

/** Of the package; the bundler writes it here. */
declare const KEYSWEEP_VERSION: string;

/** Measures, prints a row for each choice, and resolves to whether all results were right. */
export async function regret(machine: GpuMachine, told: RegretTold): Promise<boolean> {
  const { json, ...options } = told;
  const device = await machine.device();
  console.log(`${formatGpu(describeGpu(device))}\nSeed:     ${options.seed}`);
  device.destroy();
  const requestAdapter = (): Promise<GPUAdapter> => machine.adapter();
  const { results } = await measureRegret(
    () => [webgpu({ requestAdapter }), cpu(), builtin()],
    options,
    recorder(json, KEYSWEEP_VERSION, options.seed),
  );
  return results.every(({ verified }) => verified);
}
