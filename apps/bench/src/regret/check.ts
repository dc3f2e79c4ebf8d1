/** Whether a sort is right, without a second sort: at 2^26 keys that would take too long. */

import { faultOfGather, faultOfKeys, faultOfOrder } from '@keysweep/conformance/verify';
import type { Input, Result } from '../measure/workload.js';

/** What is wrong with the result of an ascending sort of `input`, or undefined. */
export function faultOf({ columns: [given] }: Input, result: Result): string | undefined {
  const { keys, values, order } = result;
  if (order !== undefined) return faultOfOrder([given], order);
  if (values === undefined) return faultOfKeys(keys, given);
  return faultOfOrder([given], values) ?? faultOfGather(keys, given, values);
}
