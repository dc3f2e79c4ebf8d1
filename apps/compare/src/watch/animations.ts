/** The animated sorts. */

import { bitonic } from './bitonic.js';
import { cpuRadix } from './cpu-radix.js';
import type { Animation } from './frame.js';
import { keysweepImplicitRadix, plainImplicitRadix } from './implicit-radix.js';

export interface AnimationKind {
  readonly id: string;
  readonly title: string;
  /** What it is, and where keysweep uses it. */
  readonly about: string;
  readonly make: (keys: Uint16Array) => Animation;
}

export const ANIMATIONS: readonly AnimationKind[] = [
  {
    id: 'implicit',
    title: 'Implicit radix sort, as keysweep does it',
    about:
      'On GPUs through WebGPU, where there are no subgroups (kernels/wgsl: ' +
      'upsweep, spine, downsweep, presort). Digits of 8 bits, each in two rounds ' +
      'of 4. Tiles have 64 keys here and 3,328 in the kernels. With subgroups ' +
      'keysweep ranks keys by ballots instead, in one kernel a pass.',
    make: keysweepImplicitRadix,
  },
  {
    id: 'plain',
    title: 'Implicit radix sort, with four counters a word',
    about:
      'The idea of Ha, Krüger and Silva, “Implicit radix sorting on GPUs”, in its ' +
      'smallest form: digits of 2 bits have four counters, which share one word. ' +
      'It is simple, but takes eight passes over the keys.',
    make: plainImplicitRadix,
  },
  {
    id: 'bitonic',
    title: 'Bitonic network',
    about:
      'On GPUs through WebGL2 (kernels/webgl2). A fragment shader writes only at ' +
      'its own position, so it cannot scatter keys. O(n log² n) comparisons.',
    make: bitonic,
  },
  {
    id: 'cpu',
    title: 'Radix sort on CPU threads',
    about:
      'On the CPU (packages/cpu, kernels/cpu): most significant digit first for a ' +
      'partition, least significant first within each bucket.',
    make: cpuRadix,
  },
];
