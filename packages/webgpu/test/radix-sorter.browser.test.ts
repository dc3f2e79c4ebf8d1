import { isThorough } from '@keysweep/conformance/data';
import { all, describeSorter, describeWantOfMemory, oneWidth } from './radix-sorter-checks.js';

// The portable way to sort in full, chained scans in Node: the adapter is the same, and slow.
describeSorter(
  'in a page',
  isThorough ? { plain: all, chained: oneWidth, everything: oneWidth } : { plain: oneWidth },
);
describeWantOfMemory('in a page');
