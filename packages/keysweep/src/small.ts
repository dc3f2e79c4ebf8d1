/** Arrays so small that the runtime's own sort is the quickest, whatever else there is: they need no plan. */

import {
  type KeyArray,
  type KeyType,
  keyTraits,
  type RequestShape,
  type SortRequest,
} from '@keysweep/core';
import { warmMilliseconds } from './cost.js';
import type { Entry } from './entry.js';

/** Lengths that are looked at, as powers of two. */
const SMALLEST = 5;
const LARGEST = 16;

/**
 * Below this length integers that are in order are the runtime's, too: it sorts them in less time than another backend
 * takes to begin. Floats it does not.
 */
const IN_ORDER_BELOW = 2 ** 14;

/** Elements that are looked at to tell. */
const LOOKS = 32;

export class Small {
  readonly #entries: readonly Entry[];
  readonly #own: Entry | undefined;
  /** By operation and key type, the length below which nothing else could pay. */
  readonly #ends = new Map<string, number>();

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    this.#own = entries.find(({ backend }) => backend.name === 'builtin');
  }

  /** Whether a request's array is one. Takes a fraction of a microsecond, but for the first of its kind. */
  has({ shape, columns }: SortRequest): boolean {
    const { length, operation, keyTypes, segmentCount, keyBits } = shape;
    if (this.#own === undefined || this.#own.restsFor > 0) return false;
    if (length >= 2 ** LARGEST || keyTypes.length > 1) return false;
    if (segmentCount > 1 || keyBits !== undefined) return false;
    const name = operation + keyTypes[0];
    let end = this.#ends.get(name);
    if (end === undefined) {
      end = this.#endOf(shape, this.#own);
      this.#ends.set(name, end);
    }
    if (length < end) return true;
    if (operation !== 'sort' || length >= IN_ORDER_BELOW) return false;
    return keyTraits(keyTypes[0] as KeyType).kind !== 'float' && looksInOrder(columns[0]);
  }

  /** Looks again: something is known now that was not. */
  forget(): void {
    this.#ends.clear();
  }

  /** A power of two below which no other backend could pay, were it warm. */
  #endOf(shape: RequestShape, own: Entry): number {
    for (let log = SMALLEST; log <= LARGEST; log++) {
      const longer = { ...shape, length: 2 ** log };
      const most = warmMilliseconds(own.estimate, longer);
      const pays = ({ estimate, probe }: Entry): boolean =>
        probe?.available !== false && warmMilliseconds(estimate, longer) < most;
      // Somewhere between this length and the one before.
      if (this.#entries.some(pays)) return 2 ** (log - 1);
    }
    return 2 ** LARGEST;
  }
}

/** Whether some elements, from the first to the last, are all in order or all in reverse order. O(1). */
function looksInOrder(keys: KeyArray): boolean {
  let before = keys[0] as number | bigint;
  let rises = false;
  let falls = false;
  for (let look = 1; look <= LOOKS; look++) {
    const now = keys[Math.floor(((keys.length - 1) * look) / LOOKS)] as number | bigint;
    rises ||= now > before;
    falls ||= now < before;
    if (rises && falls) return false;
    before = now;
  }
  return true;
}
