/** The suite in a page: in full in a thorough run, else what pages do otherwise than Node. */

import { CHECKS, describeBackend } from '@keysweep/conformance';
import { isThorough } from '@keysweep/conformance/data';
import { webgpu } from '@keysweep/webgpu';
import { SHORTEST_OF } from './lengths.js';
import { watchedAdapters } from './watched-adapters.js';

/** How work waits, is interrupted and ends, on memory of every kind; with keys of 32 bits alone. */
const IN_PAGES = /detached|aborted|^serves|^probes|progress|shared memory/;

describeBackend({
  name: 'webgpu in a page',
  create: () => webgpu(isThorough ? {} : { requestAdapter: watchedAdapters().requestAdapter }),
  lengths: [SHORTEST_OF.wide],
  slow: true,
  checks: CHECKS.filter(({ name }) => isThorough || IN_PAGES.test(name)),
});
