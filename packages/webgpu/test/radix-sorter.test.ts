import './software-gpu.js';
import { isThorough } from '@keysweep/conformance/data';
import {
  all,
  describeSorter,
  describeWantOfMemory,
  fewWidths,
  mostOf,
  oneWidth,
} from './radix-sorter-checks.js';

describeSorter(
  'in Node',
  isThorough
    ? { plain: oneWidth, chained: all, hybrid: all, everything: oneWidth }
    : { plain: oneWidth, chained: fewWidths, hybrid: oneWidth, features: mostOf(3) },
);
describeWantOfMemory('in Node');
