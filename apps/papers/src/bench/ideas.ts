/** Ideas of the papers: what became of each in keysweep, and the figure that shows why. */

import { type Claim, isFaster } from './claims.js';
import { CUB, OURS } from './definitions.js';

export interface Idea {
  readonly idea: string;
  readonly source: string;
  /** Whether it lives on in keysweep, and where, or why not. */
  readonly today: string;
  readonly find: Claim['find'];
}

/** In the order in which they were thought of. */
export const IDEAS: readonly Idea[] = [
  {
    idea: 'Compare each key with all others, or with its neighbours',
    source: 'Garland',
    today:
      'lives on, within workgroups: a hybrid sort ends with transpositions of keys that are ' +
      'nearly in order',
    find: isFaster('comparison-counts', OURS),
  },
  {
    idea: 'Networks: comparisons that do not depend on the keys',
    source: 'Batcher',
    today:
      'lives on in WebGL2, whose shaders cannot scatter. Each step reads and writes all keys, ' +
      'and there are log² n of them',
    find: isFaster('bitonic', OURS),
  },
  {
    idea: 'Count digits, scan the counts, scatter',
    source: 'Blelloch',
    today: 'lives on: it is what all radix sorts do, with more bits a pass',
    find: isFaster('explicit-counters', 'binary-radix'),
  },
  {
    idea: 'Put a tile in order before it is scattered',
    source: 'Satish 2009',
    today: 'lives on: neighbours that leave for neighbouring places are one write to memory',
    find: isFaster('explicit-counters', 'masks-and-scans'),
  },
  {
    idea: 'Several counters in a word, one implied',
    source: 'Ha, Krüger, Silva',
    today:
      'lives on where a device has no subgroups: sixteen counters of a thread in two words. ' +
      'Where it has, votes among threads count eight bits a pass',
    find: isFaster('implicit-counters', OURS),
  },
  {
    idea: 'Keys alone for counting, pairs for moving',
    source: 'Ha, Krüger, Silva',
    today: 'is gone: what is counted twice is also written twice',
    find: isFaster('implicit-counters-hybrid', 'implicit-counters', 1, 'sortPairs'),
  },
  {
    idea: 'A mask and a scan for each digit',
    source: 'Copenhagen report',
    today: 'is gone: sixteen scans of a tile do the work of four splits',
    find: isFaster('masks-and-scans', 'explicit-counters'),
  },
  {
    idea: 'Merges, divided evenly by paths',
    source: 'Satish 2010; Green',
    today:
      'is gone from 32-bit keys: the passes grow with the length. It is the best that compares',
    find: isFaster('merge-path', OURS),
  },
  {
    idea: 'Samples that say where to cut',
    source: 'Dehne and Zaboli; Garland',
    today:
      'lives on where data is too large to move twice: sortFile cuts files so. On a GPU the ' +
      'buckets have to be sorted by something else',
    find: isFaster('sample-sort', OURS),
  },
  {
    idea: 'Fewer, larger passes; threads that scan what is still in registers',
    source: 'Merrill and Grimshaw',
    today: 'lives on: CUB, their own, and keysweep have eight bits a pass',
    find: isFaster(OURS, CUB),
  },
];
