/**
 * @keysweep/cpu/sync: requests served at once, by the calling thread alone, without a pause.
 */

import {
  BackendFailedError,
  type FieldKernels,
  runAtOnce,
  type SortOutcome,
  type SortRequest,
} from '@keysweep/core';
import { isCountable, sortByCounting } from './fallback/counting.js';
import { linkFields } from './fields/fields.js';
import { type CallingThread, linkCallingThread, reasonForPlain } from './pool/calling-thread.js';

/** Whether the compiled kernels work here; undefined until that is known. */
let hasKernels: boolean | undefined;

let callingThread: CallingThread | undefined;
let fields: FieldKernels | undefined;

/**
 * Serves a request of at least one key at once: counts short keys, and sorts others with the
 * compiled kernels. Returns undefined, and has written nothing, where the kernels do not work here
 * or their memory does not hold the request.
 *
 * O(n) a digit. Memory: the kernels' memory grows to twice the keys and payloads (pairs and
 * permutations of 64-bit keys: 32 bytes a key), and is kept until `releaseMemory()`.
 */
export function sortAtOnce(request: SortRequest): SortOutcome | undefined {
  if (isCountable(request.shape)) return runAtOnce(sortByCounting(request));
  if (!canCompile()) return undefined;
  try {
    callingThread ??= linkCallingThread();
    return callingThread.sort(request);
  } catch (error) {
    // Their memory cannot grow so far.
    if (error instanceof BackendFailedError) return undefined;
    throw error;
  }
}

function canCompile(): boolean {
  hasKernels ??= reasonForPlain() === undefined;
  return hasKernels;
}

/** Whether the kernels are compiled, or known not to work: until then a sort takes longer. */
export const haveStarted = (): boolean => hasKernels !== undefined;

/** The loops of a table's fields, or undefined where the kernels do not work here. */
export function fieldKernels(): FieldKernels | undefined {
  if (!canCompile()) return undefined;
  fields ??= linkFields();
  return fields;
}

/** Drops the memory of the kernels. The next request allocates it again. */
export function releaseMemory(): void {
  callingThread = undefined;
  fields = undefined;
}
