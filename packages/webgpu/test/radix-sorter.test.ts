import './software-gpu.js';
import { isThorough } from '@keysweep/conformance/data';
import { drawTests, fewer } from '../../../tools/test/draw-tests.js';
import {
  all,
  bareWidth,
  describeSorter,
  describeWantOfMemory,
  drawnOfOneKind,
  fewWidths,
  oneWidth,
} from './radix-sorter-checks.js';

drawTests(1 / 2);

/** The suites of the backend sort in these ways, too. */
const WAYS = [
  { plain: oneWidth },
  { chained: fewWidths },
  { hybrid: oneWidth },
  { mapped: bareWidth },
];

describeSorter(
  'in Node',
  isThorough
    ? { plain: oneWidth, chained: all, hybrid: all, mapped: all, everything: oneWidth }
    : Object.assign({ features: drawnOfOneKind(3) }, ...fewer(WAYS, 1)),
);
describeWantOfMemory('in Node');
