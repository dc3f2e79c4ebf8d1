/** Which requests are left to the runtime's own sort without a plan. */

import {
  type KeyArray,
  type KeyType,
  keyTraits,
  type Operation,
  plainShape,
  type RequestShape,
} from '@keysweep/core';
import { warmMilliseconds } from './cost.js';
import type { Candidate } from './types.js';

/** A request is longer than this takes time enough for a plan: 10 to 20 µs. */
const LONGEST = 2 ** 16;

/**
 * Below these lengths keys that are in order are left to the runtime's own sort as well. It finds
 * them in order in less time than a backend takes to begin.
 */
const ORDERED_INTEGERS_BELOW = 2 ** 15;
const ORDERED_FLOATS_BELOW = 2 ** 12;

/** Keys that are compared to tell whether an array is in order. */
const KEYS_COMPARED = 32;

/** What is known of a backend, and what it is told. */
export interface BuiltinRival extends Candidate {
  /** Notes that the backend would have saved so many milliseconds, had it been warm. */
  noteMissed(milliseconds: number): void;
}

/** A backend that would be quicker than the runtime's own sort if it were warm. */
interface Rival {
  readonly candidate: BuiltinRival;
  /** Milliseconds that it would save. */
  readonly saved: number;
}

/** The answers for one list of backends. They are kept by operation, key type and length. */
export class BuiltinRule {
  readonly #own: BuiltinRival;
  readonly #others: readonly BuiltinRival[];
  readonly #rivals = new Map<string, readonly Rival[]>();

  /** `own` is the runtime's own sort, `others` are the backends beside it. */
  constructor(own: BuiltinRival, others: readonly BuiltinRival[]) {
    this.#own = own;
    this.#others = others;
  }

  /**
   * Whether the runtime's own sort serves a request best: no backend would be quicker; or those
   * that would be are cold, and a start does not pay yet; or a short array looks sorted already.
   * Counts what cold backends would have saved, so it must be called once a request. O(1).
   */
  isForBuiltin(shape: RequestShape, keys: KeyArray): boolean {
    const { operation, keyTypes, length, segmentCount, keyBits } = shape;
    const isPlain = keyTypes.length === 1 && segmentCount === 1 && keyBits === undefined;
    if (!isPlain || length >= LONGEST || this.#own.restsFor > 0) return false;
    const keyType = keyTypes[0] as KeyType;
    const rivals = this.#rivalsAt(operation, keyType, length);
    if (!rivals.some(({ candidate, saved }) => candidate.startUp < saved)) {
      for (const { candidate, saved } of rivals) candidate.noteMissed(saved);
      return true;
    }
    const isFloat = keyTraits(keyType).kind === 'float';
    const below = isFloat ? ORDERED_FLOATS_BELOW : ORDERED_INTEGERS_BELOW;
    return operation === 'sort' && length < below && looksInOrder(keys);
  }

  /** Drops the answers, because the figures that they came from have changed. */
  forget(): void {
    this.#rivals.clear();
  }

  /** The rivals at about this length: a quarter of an octave has one answer, that of its middle. */
  #rivalsAt(operation: Operation, keyType: KeyType, length: number): readonly Rival[] {
    const octave = 31 - Math.clz32(length);
    const step = 2 ** (octave - 2);
    const quarter = octave < 2 ? 0 : (length >>> (octave - 2)) & 3;
    const name = `${operation} ${keyType} ${4 * octave + quarter}`;
    let rivals = this.#rivals.get(name);
    if (rivals === undefined) {
      rivals = this.#findRivals(plainShape(operation, keyType, (4.5 + quarter) * step));
      this.#rivals.set(name, rivals);
    }
    return rivals;
  }

  #findRivals(shape: RequestShape): readonly Rival[] {
    const most = warmMilliseconds(this.#own.estimate, shape);
    return this.#others
      .filter(({ probe }) => probe?.available !== false)
      .map((candidate) => {
        return { candidate, saved: most - warmMilliseconds(candidate.estimate, shape) };
      })
      .filter(({ saved }) => saved > 0);
  }
}

/** Whether some keys, from the first to the last, all rise or all fall. O(1). */
function looksInOrder(keys: KeyArray): boolean {
  let before = keys[0] as number | bigint;
  let rises = false;
  let falls = false;
  for (let i = 1; i <= KEYS_COMPARED; i++) {
    const place = Math.floor(((keys.length - 1) * i) / KEYS_COMPARED);
    const now = keys[place] as number | bigint;
    rises ||= now > before;
    falls ||= now < before;
    if (rises && falls) return false;
    before = now;
  }
  return true;
}
