/** Rows of a table that tie by what was sorted so far. */

import { FIELD_ROWS } from '@keysweep/core';

/**
 * Groups of rows that tie so far: places [starts[i], ends[i]) of the order, whose texts agree in
 * `depths[i]` units.
 */
export class TiedGroups {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly depths: number[] = [];

  get count(): number {
    return this.starts.length;
  }

  /** Adds a group, unless it is of one row or none. */
  add(start: number, end: number, depth = 0): void {
    if (end - start < 2) return;
    this.starts.push(start);
    this.ends.push(end);
    this.depths.push(depth);
  }

  /** Where each group starts if they lie one after the other. */
  segments(): Uint32Array {
    const segments = new Uint32Array(this.count);
    for (let i = 0, at = 0; i < this.count; i++) {
      segments[i] = at;
      at += (this.ends[i] as number) - (this.starts[i] as number);
    }
    return segments;
  }

  /**
   * Calls `each` for every group, and runs the steps that it may return. A pause may be taken
   * between two groups, too.
   */
  *visit(
    each: (start: number, end: number, depth: number) => Generator<undefined, void> | void,
  ): Generator<undefined, void> {
    for (let i = 0, rows = 0; i < this.count; i++) {
      const [start, end] = [this.starts[i] as number, this.ends[i] as number];
      const steps = each(start, end, this.depths[i] as number);
      if (steps !== undefined) yield* steps;
      rows += end - start;
      if (rows < FIELD_ROWS) continue;
      rows = 0;
      yield;
    }
  }
}
