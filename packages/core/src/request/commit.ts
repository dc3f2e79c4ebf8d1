/**
 * The one place where results enter the caller's arrays: when whole, all at once.
 */

import { type BitsArray, bitsOf } from '../elements.js';
import { assertUnchanged, type TypedArray } from '../intrinsics.js';
import { type CopyElements, checked, copySteps, runAtOnce } from './slices.js';

/** A result waiting to be copied over `target`; `bits` are of the same width and number. */
export interface Result<
  Bits extends BitsArray | readonly BitsArray[] = BitsArray | readonly BitsArray[],
> {
  /** The argument's name, for the error. */
  readonly name: string;
  /** The caller's array. */
  readonly target: TypedArray;
  /** The length that `target` had when the sort began. */
  readonly length: number;
  /**
   * Elements as integers, taken modulo the target's width, in one array or several, one after the
   * other. 64-bit elements are two 32-bit words, low word first.
   */
  readonly bits: Bits;
}

/**
 * Copies finished results into the caller's arrays, all of them or none: every array is checked
 * before the first is written, and the copying runs without a pause.
 * @throws TypeError if an array was detached or resized since the sort began.
 */
export function commit(results: readonly Result[]): void {
  runAtOnce(commitSteps(results));
}

/**
 * Copies finished results in steps of a mebibyte, for a thread that must not be busy for long.
 * Before the first write everything is checked and `onCommit` is called. After the first step all
 * others must follow, so an abort comes too late. `copy` may be a faster way to copy integers.
 * @throws TypeError if an array was detached or resized since the sort began. If the caller
 *   detaches or shrinks an array between two steps, it is written in part.
 */
export function* commitSteps(
  results: readonly Result[],
  onCommit?: () => void,
  copy?: CopyElements,
): Generator<undefined, void> {
  for (const { name, target, length } of results) assertUnchanged(name, target, length);
  // Every view exists before the first write: an empty array that was detached still has its
  // length, and making a view of it throws.
  const views = results.map(({ target }) => bitsOf(target));
  const lengths = views.map(({ length }) => length);
  const assertThere = (): void => {
    const gone = views.findIndex(({ length }, i) => length !== lengths[i]);
    if (gone < 0) return;
    const name = results[gone]?.name;
    throw new TypeError(`${name} was detached or shrunk while its result was being copied in`);
  };
  onCommit?.();
  for (const [i, { bits }] of results.entries()) {
    let at = 0;
    for (const piece of 'BYTES_PER_ELEMENT' in bits ? [bits] : bits) {
      yield* checked(copySteps(views[i] as BitsArray, piece, at, copy), assertThere);
      at += piece.length;
    }
  }
}
