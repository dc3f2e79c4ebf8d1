/** Arrays so small that the runtime's own sort is the quickest, whatever else there is: they need no plan. */

import {
  type KeyArray,
  type KeyType,
  keyTraits,
  type Operation,
  plainShape,
  type RequestShape,
  type SortRequest,
} from '@keysweep/core';
import type { Entry } from '../run/backend-state.js';
import { isBuiltin } from '../run/builtin.js';
import { warmMilliseconds } from './cost.js';

/** Lengths that are looked at, as powers of two. */
const SMALLEST = 5;
const LARGEST = 16;

/**
 * Below these lengths keys that are in order are the runtime's, too: it sorts them in less time than another backend
 * takes to begin.
 */
const INTEGERS_IN_ORDER_BELOW = 2 ** 15;
const FLOATS_IN_ORDER_BELOW = 2 ** 12;

/** Elements that are looked at to tell. */
const LOOKS = 32;

export class Small {
  readonly #entries: readonly Entry[];
  readonly #own: Entry | undefined;
  readonly #isOwnBuiltin: boolean;
  /** By operation and key type, the length below which nothing else could pay. */
  readonly #ends = new Map<string, number>();
  /** By key type and length, to a power of two, who would sort sooner if warm, and how many milliseconds. */
  readonly #rivals = new Map<
    string,
    readonly { readonly entry: Entry; readonly saved: number }[]
  >();

  constructor(entries: readonly Entry[]) {
    this.#entries = entries;
    this.#own = entries.find(({ backend }) => backend.name === 'builtin');
    this.#isOwnBuiltin = this.#own !== undefined && isBuiltin(this.#own.backend);
  }

  /** Whether a request's array is one. Takes a fraction of a microsecond, but for the first of its kind. */
  has({ shape, columns }: SortRequest): boolean {
    const { operation, keyTypes, segmentCount, keyBits } = shape;
    if (keyTypes.length > 1 || segmentCount > 1 || keyBits !== undefined) return false;
    return this.#isSmall(operation, columns[0], keyTypes[0] as KeyType);
  }

  /** Whether keys alone, to be sorted as they are, are; and it is the runtime's own sort itself that would be asked. */
  isForRuntime(keys: KeyArray, keyType: KeyType): boolean {
    if (!this.#isOwnBuiltin || keys.length >= 2 ** LARGEST) return false;
    return (
      this.#isSmall('sort', keys, keyType) ||
      this.#isTooSoon(keyType, keys.length, this.#own as Entry)
    );
  }

  #isSmall(operation: Operation, keys: KeyArray, keyType: KeyType): boolean {
    const { length } = keys;
    if (length >= 2 ** LARGEST || this.#own === undefined || this.#own.restsFor > 0) return false;
    const name = operation + keyType;
    let end = this.#ends.get(name);
    if (end === undefined) {
      end = this.#endOf(operation, keyType, this.#own);
      this.#ends.set(name, end);
    }
    if (length < end) return true;
    const isFloat = keyTraits(keyType).kind === 'float';
    const below = isFloat ? FLOATS_IN_ORDER_BELOW : INTEGERS_IN_ORDER_BELOW;
    return operation === 'sort' && length < below && looksInOrder(keys);
  }

  /**
   * Whether those that could sort keys alone sooner are still to be started, and it does not pay yet to do so. They are told what
   * they would have saved.
   */
  #isTooSoon(keyType: KeyType, length: number, own: Entry): boolean {
    const log = 31 - Math.clz32(length);
    const name = `${keyType} ${log}`;
    let rivals = this.#rivals.get(name);
    if (rivals === undefined) {
      rivals = this.#rivalsOf(plainShape('sort', keyType, 1.5 * 2 ** log), own);
      this.#rivals.set(name, rivals);
    }
    if (rivals.some(({ entry, saved }) => entry.startUp < saved)) return false;
    for (const { entry, saved } of rivals) entry.missed(saved);
    return true;
  }

  /** Looks again: something is known now that was not. */
  forget(): void {
    this.#ends.clear();
    this.#rivals.clear();
  }

  /** The length below which no other backend could pay, were it warm. */
  #endOf(operation: Operation, keyType: KeyType, own: Entry): number {
    const pays = (length: number): boolean =>
      this.#rivalsOf(plainShape(operation, keyType, length), own).length > 0;
    let above = 2 ** SMALLEST;
    while (above < 2 ** LARGEST && !pays(above)) above *= 2;
    let below = above / 2;
    while (above - below > 1) {
      const middle = Math.floor((below + above) / 2);
      if (pays(middle)) above = middle;
      else below = middle;
    }
    return above;
  }

  #rivalsOf(shape: RequestShape, own: Entry): { entry: Entry; saved: number }[] {
    const most = warmMilliseconds(own.estimate, shape);
    return this.#entries
      .filter((entry) => entry !== own && entry.probe?.available !== false)
      .map((entry) => ({ entry, saved: most - warmMilliseconds(entry.estimate, shape) }))
      .filter(({ saved }) => saved > 0);
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
