/** Requests for `Sorter.plan`, which describe a sort without its data. */

import {
  type BackendName,
  describe,
  KEY_TYPES,
  type KeyBits,
  type KeyType,
  type Operation,
  type Order,
  type RequestShape,
  readOptions,
} from '@keysweep/core';
import { checkApproximate, checkBackend, checkKeyBits, checkOrder, readKeyBits } from './check.js';

/** Describes a sort to `Sorter.plan`, without its data. */
export interface PlanRequest {
  /** Default 'sort'. */
  operation?: Operation;
  /** The key type; for an argsort of several columns, a list. */
  keyType: KeyType | readonly KeyType[];
  /** Bytes of a value for 'sortPairs', default 4. */
  valueBytes?: 1 | 2 | 4 | 8;
  /** Number of keys. */
  length: number;
  /** Default 'ascending'. */
  order?: Order;
  /** Default 1: an undivided array. */
  segmentCount?: number;
  /** Default all bits. */
  keyBits?: KeyBits;
  /** Default false. */
  approximate?: boolean;
  /** Default 'auto'. */
  backend?: BackendName | 'auto';
}

const NAMES: ReadonlyArray<keyof PlanRequest> = [
  'operation',
  'keyType',
  'valueBytes',
  'length',
  'order',
  'segmentCount',
  'keyBits',
  'approximate',
  'backend',
];

const OPERATIONS: readonly Operation[] = ['sort', 'sortPairs', 'argsort'];

const VALUE_BYTES: readonly unknown[] = [1, 2, 4, 8] satisfies RequestShape['valueBytes'][];

/**
 * The shape of a described request, with defaults filled in, and the backend that it names.
 * @throws TypeError if `given` is not a plain object or has an unknown property, key type or
 *   operation, or has several columns without being an argsort; RangeError for a length that is not
 *   a whole number, 0 or more; for the options of a sort, what that sort throws.
 */
export function checkPlanRequest(given: PlanRequest): {
  shape: RequestShape;
  backend: BackendName | 'auto';
} {
  const request = readOptions<PlanRequest>(given, NAMES, 'request');
  const {
    operation = 'sort',
    keyType,
    valueBytes = 4,
    length,
    segmentCount = 1,
    keyBits,
  } = request;
  const keyTypes = typeof keyType === 'string' ? [keyType] : keyType;
  if (!Array.isArray(keyTypes) || keyTypes.length === 0 || !keyTypes.every(isKeyType)) {
    throw new TypeError(
      `keyType must be one or several of ${KEY_TYPES.join(', ')}, got ${describe(keyType)}`,
    );
  }
  if (!OPERATIONS.includes(operation)) {
    throw new TypeError(
      `operation must be one of ${OPERATIONS.join(', ')}, got ${describe(operation)}`,
    );
  }
  if (keyTypes.length > 1 && operation !== 'argsort') {
    throw new TypeError(`only argsort takes several columns, not ${operation}`);
  }
  if (!Number.isSafeInteger(length) || length < 0) {
    throw new RangeError(`length must be a whole number of keys >= 0, got ${describe(length)}`);
  }
  if (!Number.isSafeInteger(segmentCount) || segmentCount < 1) {
    throw new RangeError(`segmentCount must be a whole number >= 1, got ${describe(segmentCount)}`);
  }
  if (!VALUE_BYTES.includes(valueBytes)) {
    throw new RangeError(`valueBytes must be 1, 2, 4 or 8, got ${describe(valueBytes)}`);
  }
  const shape: RequestShape = {
    operation,
    keyTypes,
    valueBytes: operation === 'sortPairs' ? valueBytes : 0,
    length,
    order: checkOrder(request.order),
    segmentCount,
    keyBits: keyBits === undefined ? undefined : checkKeyBits(readKeyBits(keyBits), keyTypes),
    approximate: checkApproximate(request.approximate, keyTypes),
  };
  return { shape, backend: checkBackend(request.backend) };
}

const isKeyType = (value: unknown): boolean => (KEY_TYPES as readonly unknown[]).includes(value);
