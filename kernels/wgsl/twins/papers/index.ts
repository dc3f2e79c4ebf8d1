/** The twins of the kernels in ../../papers, by file and entry point. */

import * as binaryRadix from './binary-radix.js';
import * as bitonic from './bitonic.js';
import * as comparisonCounts from './comparison-counts.js';
import * as explicitCounters from './explicit-counters.js';
import * as implicitCounters from './implicit-counters.js';
import * as insertion from './insertion.js';
import * as masksAndScans from './masks-and-scans.js';
import * as mergePath from './merge-path.js';
import * as oddEvenMerge from './odd-even-merge.js';
import * as oddEvenTransposition from './odd-even-transposition.js';
import * as pairs from './pairs.js';
import * as sampleSort from './sample-sort.js';
import * as scan from './scan.js';
import * as selection from './selection.js';
import type { Twin } from './twin.js';

export type { Stage, Twin } from './twin.js';

export const TWINS: Readonly<Record<string, Readonly<Record<string, Twin>>>> = {
  'binary-radix': binaryRadix,
  bitonic,
  'comparison-counts': comparisonCounts,
  'explicit-counters': explicitCounters,
  'implicit-counters': implicitCounters,
  insertion,
  'masks-and-scans': masksAndScans,
  'merge-path': mergePath,
  'odd-even-merge': oddEvenMerge,
  'odd-even-transposition': oddEvenTransposition,
  pairs,
  'sample-sort': sampleSort,
  scan,
  selection,
};
