/** The animated sorts. */

import { bitonic } from './bitonic.js';
import { cpuRadix } from './cpu-radix.js';
import type { Animation } from './frame.js';
import { implicitRadix } from './implicit-radix.js';

export interface AnimationKind {
  readonly id: string;
  readonly title: string;
  /** What it is, and where keysweep uses it. */
  readonly about: string;
  readonly make: (keys: Uint16Array) => Animation;
}

export const ANIMATIONS: readonly AnimationKind[] = [
  {
    id: 'cpu',
    title: 'On the CPU: radix sort',
    about:
      'Numbers are not compared with each other. They go into buckets by their first bits, as ' +
      'letters go into pigeonholes by their street. Then each bucket is put in order by the bits ' +
      'that are left.',
    make: cpuRadix,
  },
  {
    id: 'implicit',
    title: 'On a GPU: radix sort in tiles',
    about:
      'Thousands of threads of a GPU work at once, each on a few numbers. They count in small ' +
      'groups, the tiles, and the counts say where each number belongs. This is what keysweep ' +
      'does on GPUs whose threads cannot vote together (subgroups). Its tiles have 3,328 ' +
      'numbers, here they have 64.',
    make: implicitRadix,
  },
  {
    id: 'bitonic',
    title: 'In WebGL2: a sorting network',
    about:
      'WebGL2 can write a result only in its own place, so numbers cannot be sent to their ' +
      'buckets. A network compares pairs of numbers at fixed distances instead, which takes more ' +
      'steps: n log² n comparisons for n numbers.',
    make: bitonic,
  },
];
