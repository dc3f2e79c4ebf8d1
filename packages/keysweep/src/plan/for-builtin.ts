/** Decides which requests are left to the runtime's own sort without a plan. */

import { type KeyType, type Operation, plainShape, type RequestShape } from '@keysweep/core';
import { coldMilliseconds, warmMilliseconds } from './cost.js';
import type { Candidate } from './types.js';

/**
 * Longer requests always get a plan, whose 0.03 ms do not matter there: even a built-in radix sort
 * takes 0.5 ms for this many keys of a byte.
 */
const LONGEST = 2 ** 20;

/** A backend as a candidate, which is also told what it would have saved. */
export interface BuiltinRival extends Candidate {
  /** Notes how many milliseconds the backend would have saved, had it been warm. */
  noteMissed(milliseconds: number): void;
}

/** A backend that would be quicker than the runtime's own sort if it were warm. */
interface Rival {
  readonly candidate: BuiltinRival;
  /** Milliseconds that it would save. */
  readonly saved: number;
  /** The same for its first sort, without its start; may be negative. */
  readonly savedCold: number;
}

/** The answers for one list of backends. They are kept by operation, key type and length. */
export class BuiltinRule {
  readonly #builtin: BuiltinRival;
  readonly #others: readonly BuiltinRival[];
  readonly #answers: Readonly<Record<Operation, Map<KeyType, (readonly Rival[])[]>>> = {
    sort: new Map(),
    sortPairs: new Map(),
    argsort: new Map(),
  };

  /** `own` is the runtime's own sort, `others` are the backends beside it. */
  constructor(builtin: BuiltinRival, others: readonly BuiltinRival[]) {
    this.#builtin = builtin;
    this.#others = others;
  }

  /**
   * Whether the runtime's own sort serves a request best: no backend would be quicker, or the
   * quicker ones are cold and a start does not pay yet. Adds up what those would have saved, so
   * call it once per request. O(1).
   */
  isForBuiltin(shape: RequestShape): boolean {
    const { operation, keyTypes, length, segmentCount, keyBits } = shape;
    const isPlain = keyTypes.length === 1 && segmentCount === 1 && keyBits === undefined;
    if (!isPlain || length >= LONGEST || this.#builtin.restsFor > 0) return false;
    const keyType = keyTypes[0] as KeyType;
    const rivals = this.#rivalsAt(operation, keyType, length);
    const pays = ({ candidate: { startUp }, saved, savedCold }: Rival): boolean =>
      startUp < (startUp > 0 ? savedCold : saved);
    if (rivals.some(pays)) return false;
    for (const { candidate, saved } of rivals) candidate.noteMissed(saved);
    return true;
  }

  /** Drops all answers, because the figures that they come from have changed. */
  forget(): void {
    for (const answers of Object.values(this.#answers)) answers.clear();
  }

  /** The rivals at about this length. A quarter of an octave has one answer, for its middle. */
  #rivalsAt(operation: Operation, keyType: KeyType, length: number): readonly Rival[] {
    const octave = 31 - Math.clz32(length | 1);
    const quarter = octave < 2 ? 0 : (length >>> (octave - 2)) & 3;
    const byLength = this.#answersFor(operation, keyType);
    const place = 4 * octave + quarter;
    const middle = (4.5 + quarter) * 2 ** (octave - 2);
    byLength[place] ??= this.#findRivals(plainShape(operation, keyType, middle));
    return byLength[place];
  }

  #answersFor(operation: Operation, keyType: KeyType): (readonly Rival[])[] {
    const answers = this.#answers[operation];
    let byLength = answers.get(keyType);
    if (byLength === undefined) {
      byLength = [];
      answers.set(keyType, byLength);
    }
    return byLength;
  }

  #findRivals(shape: RequestShape): readonly Rival[] {
    const most = warmMilliseconds(this.#builtin.estimate, shape);
    return this.#others
      .filter(({ probe }) => probe?.available !== false)
      .map((candidate) => {
        const { estimate } = candidate;
        const savedCold = most - coldMilliseconds(estimate, shape);
        return { candidate, saved: most - warmMilliseconds(estimate, shape), savedCold };
      })
      .filter(({ saved }) => saved > 0);
  }
}
