/**
 * Sorts by a comparator, in steps: a natural merge sort, which asks no more than it must if its
 * input is nearly in order. Places are found by galloping (Bentley and Yao, "An almost optimal
 * algorithm for unbounded searching", 1976), as in Timsort.
 */

import { slicesOf } from '@keysweep/core';

/** Compares two elements by their numbers: above 0 if `b` comes first, 0 if they tie. */
export type Compare = (a: number, b: number) => number;

/** Comparisons between two pauses: about a tenth of a millisecond. */
const COMPARED = 2 ** 9;

/** Elements in an order, ranges of which are sorted by a comparator, and then merged. */
export class Comparing {
  /** The numbers of the elements, each below the length, in their order. */
  readonly order: Uint32Array;
  /** 1 at each place whose element ties with the one before it in its sorted range. */
  readonly ties: Uint8Array;
  readonly compare: Compare;

  constructor(order: Uint32Array, compare: Compare) {
    this.order = order;
    this.ties = new Uint8Array(order.length);
    this.compare = compare;
  }

  /**
   * Sorts a range, stably. As many comparisons as elements if they are in order already,
   * O(n log n) at most.
   */
  *sort(start: number, end: number): Generator<undefined, void> {
    let starts: number[] = [start];
    for (const [from, to] of slicesOf(end - start - 1, COMPARED)) {
      this.findRuns(start + from, start + to + 1, starts);
      yield;
    }
    while (starts.length > 1) {
      const merged: number[] = [];
      for (let i = 0, work = 0; i < starts.length; i += 2) {
        const first = starts[i] as number;
        merged.push(first);
        const middle = starts[i + 1];
        if (middle === undefined) continue;
        const last = starts[i + 2] ?? end;
        yield* this.merge(first, middle, last);
        work += last - middle;
        if (work < COMPARED) continue;
        work = 0;
        yield;
      }
      starts = merged;
    }
  }

  /** Compares neighbours of a range; adds the places where its order is broken to `starts`. */
  findRuns(start: number, end: number, starts: number[]): void {
    const { order, ties } = this;
    for (let i = start + 1; i < end; i++) {
      const element = order[i] as number;
      const difference = this.compare(order[i - 1] as number, element);
      if (difference > 0) starts.push(i);
      ties[i] = difference === 0 ? 1 : 0;
    }
  }

  /** Merges two sorted ranges that lie side by side and meet at `middle`. */
  *merge(start: number, middle: number, end: number): Generator<undefined, void> {
    if (start === middle || middle === end) return;
    const { order, ties } = this;
    const last = order[middle - 1] as number;
    // What is not before the last element on the left stays where it is.
    let to = middle;
    for (let step = 1; to < end; step *= 2) {
      const difference = this.compare(last, order[to] as number);
      if (difference <= 0) {
        if (difference === 0) ties[to] = 1;
        break;
      }
      to = Math.min(to + step, end);
    }
    const right = order.slice(middle, to);
    const tiesOfRight = ties.slice(middle, to);
    let left = middle;
    for (let i = right.length - 1; i >= 0; i--) {
      const element = right[i] as number;
      const { at, difference } = this.#placeAfterTies(start, left, element);
      order.copyWithin(at + i + 1, at, left);
      ties.copyWithin(at + i + 1, at, left);
      if (at < left) ties[at + i + 1] = 0;
      order[at + i] = element;
      ties[at + i] = difference === 0 ? 1 : (tiesOfRight[i] as number);
      left = at;
      if (i % COMPARED === COMPARED - 1) yield;
    }
  }

  /** Orders elements that tie by their numbers. All elements are sorted. O(n). */
  *orderTies(): Generator<undefined, void> {
    const { length } = this.order;
    for (let start = 0; start < length; ) {
      start = this.#orderTies(start, Math.min(start + COMPARED, length));
      yield;
    }
  }

  /** Orders elements that tie, of groups that start in [from, to). Returns where these end. */
  #orderTies(from: number, to: number): number {
    const { order, ties } = this;
    let start = from;
    while (start < to) {
      let isRising = true;
      let end = start + 1;
      for (; end < order.length && ties[end] === 1; end++) {
        isRising &&= (order[end - 1] as number) < (order[end] as number);
      }
      if (!isRising) order.subarray(start, end).sort();
      start = end;
    }
    return start;
  }

  /**
   * Where an element goes in a sorted range: after its ties. Searches from the end. `difference` is
   * its difference from the element before it, 0 if they tie.
   */
  #placeAfterTies(
    start: number,
    end: number,
    element: number,
  ): { readonly at: number; readonly difference: number } {
    const { order } = this;
    let low = start;
    let high = end;
    let difference = -1;
    for (let step = 1; high > start; step *= 2) {
      const at = Math.max(high - step, start);
      difference = this.compare(order[at] as number, element);
      if (difference <= 0) {
        low = at + 1;
        break;
      }
      high = at;
    }
    while (low < high) {
      const at = (low + high) >>> 1;
      const other = this.compare(order[at] as number, element);
      if (other > 0) {
        high = at;
      } else {
        low = at + 1;
        difference = other;
      }
    }
    return { at: low, difference };
  }
}
