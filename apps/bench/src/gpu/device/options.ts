/** Command-line options that all subcommands on a GPU take. */

import { oneOf } from '../../program/options.js';
import type { Features, MachineOptions } from './machine.js';
import { VARIANTS } from './variant.js';

/** For `parseArgs`. */
export const MACHINE_FLAGS = {
  features: { type: 'string', default: 'none' },
  variant: { type: 'string', default: 'auto' },
  software: { type: 'string' },
} as const;

export const MACHINE_HELP = `  --features all     requests all features and limits of the adapter
                     (none: larger buffers at most)
  --variant chained  chained scans on any device with subgroups (auto: where they pay); stalled:
                     chained scans in which one tile never publishes its counts; hybrid: all
                     sorts that may be are hybrid, whatever the keys; sweeps: none is; chunks:
                     most sorts are of more records than a binding may hold
  --software FOLDER  the SwiftShader of the Chromium in FOLDER, instead of this machine's GPU
Needs the npm package webgpu.`;

/** @throws Error for a value that an option does not take. */
export function machineOf(
  given: { features: string; variant: string; software?: string | undefined },
  timestamps: boolean,
): MachineOptions {
  const known = ['none', 'all'] as const satisfies Features[];
  const features = oneOf('--features', given.features, known);
  const variant = oneOf('--variant', given.variant, VARIANTS);
  return { features, variant, software: given.software, timestamps };
}
