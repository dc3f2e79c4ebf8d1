/**
 * Arrays so small that the runtime's own sort is the quickest on every machine: they are sorted without the
 * dispatcher, which is loaded when the first that is larger comes, or the first that wants a report.
 */

import type { KeyArray } from '@keysweep/core';
import type { Call } from '../request/check.js';
import { builtin } from './builtin.js';

/** Below so many keys nothing beats a sort of keys alone, nor one of indices. */
const KEYS_BELOW = 256;
const ROWS_BELOW = 64;

const own = builtin();

/** Whether keys alone are so few. */
export const areFew = ({ length }: KeyArray): boolean => length < KEYS_BELOW;

/** Whether a call is for here. */
export function isQuick({ request, backend, onReport }: Call): boolean {
  const { length, operation } = request.shape;
  const below = operation === 'sort' ? KEYS_BELOW : ROWS_BELOW;
  return length < below && backend === 'auto' && !onReport && !request.onProgress;
}

/** Serves a call whose memory was claimed. */
export async function sortQuickly({ request }: Call): Promise<Uint32Array | undefined> {
  return (await own.sort(request)).permutation;
}
