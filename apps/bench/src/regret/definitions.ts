/** The requests for which the dispatcher's choice is measured. */

import type { CommonKeyType } from '@keysweep/conformance/data';
import type { Operation } from 'keysweep';

export interface Choice {
  readonly operation: Operation;
  readonly keyType: CommonKeyType;
  readonly length: number;
}

export const LENGTHS: readonly number[] = [
  1e2,
  316,
  1e3,
  3162,
  1e4,
  31_623,
  1e5,
  2 ** 18,
  2 ** 20,
  2 ** 22,
  2 ** 24,
  2 ** 26,
];
export const KEY_TYPES: readonly CommonKeyType[] = ['u8', 'u16', 'u32', 'f32', 'u64', 'f64'];
export const OPERATIONS: readonly Operation[] = ['sort', 'sortPairs', 'argsort'];

/** What is selected of all of them. */
export interface Selection {
  readonly shortest: number;
  readonly longest: number;
  readonly keyTypes: readonly CommonKeyType[];
  readonly operations: readonly Operation[];
}

/** Every choice, each kind from short to long. */
export function choicesOf({ shortest, longest, keyTypes, operations }: Selection): Choice[] {
  const lengths = LENGTHS.filter((length) => length >= shortest && length <= longest);
  return operations.flatMap((operation) =>
    keyTypes.flatMap((keyType) => lengths.map((length) => ({ operation, keyType, length }))),
  );
}
