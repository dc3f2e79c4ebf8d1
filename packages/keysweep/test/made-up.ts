/** Shapes of requests, and costs of a backend, that tests make up. */

import { type KeyType, plainShape, type RequestShape } from '@keysweep/core';
import type { Costs } from '../dist/plan/cost.js';

export const shape = (
  operation: RequestShape['operation'],
  keyType: KeyType,
  length: number,
  more: Partial<RequestShape> = {},
): RequestShape => ({ ...plainShape(operation, keyType, length), ...more });

/** 100 ns a key at every length, unless `changes` says otherwise. */
export const costs = (changes: Partial<Costs> = {}): Costs => ({
  of: 'made up',
  backend: 'cpu',
  start: 8,
  fixed: 0,
  keys: Array(7).fill(100),
  rows: Array(7).fill(1000),
  keyWeights: [1, 1, 1, 1],
  rowWeights: [1, 1, 1, 1],
  transfer: 0,
  ...changes,
});
