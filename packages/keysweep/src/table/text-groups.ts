/**
 * Groups of rows whose texts agree up to some unit: small groups are sorted here by comparing whole
 * texts, and of larger ones it is found out how much further their texts agree.
 */

import { FIELD_ROWS } from '@keysweep/core';
import type { OrderedText } from './stages.js';
import type { Text } from './text.js';
import { TiedGroups } from './tied-groups.js';

/** Groups of at most this many rows are sorted by comparing whole texts. */
const FEW = 12;

/** Groups of rows whose texts agree so far. */
export class TextGroups {
  readonly #text: Text;
  readonly #sign: number;
  readonly #order: Uint32Array;
  readonly #indices: Uint32Array | undefined;
  /** Groups whose texts are equal are added here. */
  readonly #equal: TiedGroups;

  constructor(
    { text, isDescending }: OrderedText,
    order: Uint32Array,
    indices: Uint32Array | undefined,
    equal: TiedGroups,
  ) {
    this.#text = text;
    this.#sign = isDescending ? -1 : 1;
    this.#order = order;
    this.#indices = indices;
    this.#equal = equal;
  }

  /**
   * Sorts small groups and those whose texts are equal but for their length. Returns the others,
   * each with all units in which its texts agree.
   */
  *all(ties: TiedGroups): Generator<undefined, TiedGroups> {
    const left = new TiedGroups();
    yield* ties.visit((start, end, depth) =>
      end - start <= FEW
        ? this.#sortFew(start, end, depth)
        : this.#sortMany(start, end, depth, left),
    );
    return left;
  }

  *#sortMany(
    start: number,
    end: number,
    depth: number,
    left: TiedGroups,
  ): Generator<undefined, void> {
    const agreed = yield* this.#agreed(start, end, depth);
    if (agreed === undefined) this.#equal.add(start, end);
    else if (agreed < Number.POSITIVE_INFINITY) left.add(start, end, agreed);
    else this.#sortBySize(start, end);
  }

  /** The number of a place's row, as the text counts it. */
  #rowAt(at: number): number {
    const place = this.#order[at] as number;
    return this.#indices === undefined ? place : (this.#indices[place] as number);
  }

  /**
   * The units in which a group's texts agree; infinite if only zeros at their ends differ, and
   * undefined if nothing does.
   */
  *#agreed(start: number, end: number, depth: number): Generator<undefined, number | undefined> {
    const text = this.#text;
    const first = this.#rowAt(start);
    const size = text.size(first);
    let agreed = Number.POSITIVE_INFINITY;
    let areOfOneSize = true;
    for (let i = start + 1; i < end && agreed > depth; i++) {
      if (i % FIELD_ROWS === 0) yield;
      const row = this.#rowAt(i);
      areOfOneSize &&= text.size(row) === size;
      const most = Math.min(agreed, Math.max(size, text.size(row)));
      let at = depth;
      while (at < most && text.unit(first, at) === text.unit(row, at)) at++;
      if (at < most) agreed = at;
    }
    return areOfOneSize && agreed === Number.POSITIVE_INFINITY ? undefined : agreed;
  }

  /** Sorts a group by insertion. */
  #sortFew(start: number, end: number, depth: number): void {
    const order = this.#order;
    if (end - start === 2) {
      const first = order[start] as number;
      const difference = this.#compare(this.#rowAt(start), this.#rowAt(start + 1), depth);
      if (difference > 0) {
        order[start] = order[start + 1] as number;
        order[start + 1] = first;
      }
      if (difference === 0) this.#equal.add(start, end);
      return;
    }
    for (let i = start + 1; i < end; i++) {
      const place = order[i] as number;
      const row = this.#rowAt(i);
      let at = i;
      for (; at > start && this.#compare(this.#rowAt(at - 1), row, depth) > 0; at--) {
        order[at] = order[at - 1] as number;
      }
      order[at] = place;
    }
    this.#addEqual(start, end, (a, b) => this.#compare(a, b, depth) === 0);
  }

  #compare(a: number, b: number, depth: number): number {
    return this.#sign * this.#text.compare(a, b, depth);
  }

  #sortBySize(start: number, end: number): void {
    const rows = this.#indices;
    const sizeOf = (place: number): number =>
      this.#text.size(rows === undefined ? place : (rows[place] as number));
    this.#order.subarray(start, end).sort((a, b) => this.#sign * (sizeOf(a) - sizeOf(b)));
    this.#addEqual(start, end, (a, b) => this.#text.size(a) === this.#text.size(b));
  }

  /** Adds the runs of equal texts in a sorted group. */
  #addEqual(start: number, end: number, areEqual: (a: number, b: number) => boolean): void {
    let from = start;
    for (let i = start + 1; i <= end; i++) {
      if (i < end && areEqual(this.#rowAt(i - 1), this.#rowAt(i))) continue;
      this.#equal.add(from, i);
      from = i;
    }
  }
}
