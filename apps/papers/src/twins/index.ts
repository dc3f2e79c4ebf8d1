/** @keysweep/papers/twins: the twins of the kernels, by file and entry point. */

import { type Dispatch, KEYS, type Numbers, type Plan, VALUES } from '../sorts/plan.js';
import * as binaryRadix from './binary-radix.js';
import * as bitonic from './bitonic.js';
import * as bufferedRadix from './buffered-radix.js';
import * as comparisonCounts from './comparison-counts.js';
import * as explicitCounters from './explicit-counters.js';
import * as implicitCounters from './implicit-counters.js';
import * as insertion from './insertion.js';
import * as masksAndScans from './masks-and-scans.js';
import * as mergePath from './merge-path.js';
import * as mergeSort from './merge-sort.js';
import * as oddEvenMerge from './odd-even-merge.js';
import * as oddEvenTransposition from './odd-even-transposition.js';
import * as pairs from './pairs.js';
import * as plainRadix from './plain-radix.js';
import * as sampleSort from './sample-sort.js';
import * as scan from './scan.js';
import * as selection from './selection.js';
import type { Twin } from './twin.js';

export type { Stage, Twin } from './twin.js';

export const TWINS: Readonly<Record<string, Readonly<Record<string, Twin>>>> = {
  'binary-radix': binaryRadix,
  bitonic,
  'buffered-radix': { bufferedRadix: bufferedRadix.bufferedRadix },
  'comparison-counts': comparisonCounts,
  'explicit-counters': explicitCounters,
  'implicit-counters': implicitCounters,
  insertion,
  'masks-and-scans': masksAndScans,
  'merge-path': mergePath,
  'merge-sort': mergeSort,
  'odd-even-merge': oddEvenMerge,
  'odd-even-transposition': oddEvenTransposition,
  pairs,
  'plain-radix': { countDigits: plainRadix.countDigits, plainRadix: plainRadix.plainRadix },
  'sample-sort': sampleSort,
  scan,
  selection,
};

/** The buffers of a plan by name: copies of what is sorted, and scratch. */
export function memoryOf(
  { scratch }: Plan,
  keys: Uint32Array,
  values?: Uint32Array,
): Map<string, Uint32Array> {
  return new Map([
    [KEYS, keys.slice()],
    ...(values === undefined ? [] : [[VALUES, values.slice()] as const]),
    ...Object.entries(scratch).map(([name, words]) => [name, new Uint32Array(words)] as const),
  ]);
}

/** Does what a dispatch does to the buffers that it names. @throws Error where it has no twin. */
export function runTwin(
  { kernel, entryPoint, params, buffers, constants }: Dispatch,
  memory: ReadonlyMap<string, Uint32Array>,
  shape: Numbers,
): void {
  const twin = TWINS[kernel]?.[entryPoint];
  if (twin === undefined) throw new Error(`${kernel} has no twin of ${entryPoint}`);
  const named = Object.entries(buffers).map(([variable, name]) => [variable, memory.get(name)]);
  twin({ params, buffers: Object.fromEntries(named), constants: { ...shape, ...constants } });
}
