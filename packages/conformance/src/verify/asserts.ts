/** Faults as errors. */

import type { TypedArray } from '@keysweep/core';
import { differenceOf } from './faults.js';

/** Throws an Error that begins with `what` when there is a fault. */
export function assertNoFault(what: string, fault: string | undefined): void {
  if (fault !== undefined) throw new Error(`${what}: ${fault}`);
}

/** Throws unless both arrays have the same bits. */
export function assertSameBits(what: string, actual: TypedArray, expected: TypedArray): void {
  assertNoFault(what, differenceOf(actual, expected));
}
