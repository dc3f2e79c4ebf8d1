/** How sorts cut arrays. */

import type { BatchShape, StagedShape, SweepShape } from '@keysweep/kernels/wgsl';

/** How a chained scan cuts an array. */
export interface Shape
  extends Omit<SweepShape, 'lookLimit' | 'stalledTile' | 'hasNanTies' | 'batch'> {
  /** Most workgroups at a time. */
  readonly groups: number;
}

/** How the batches of hybrid sorts of up to `most` keys are cut. */
export interface BatchTarget extends BatchShape {
  /** Fewest keys. */
  readonly least: number;
  /** Most keys. */
  readonly most: number;
  /** How sweeps cut the keys, where that is not as in sorts that are never hybrid. */
  readonly sweeps?: StagedShape | undefined;
  /** How splits by a map cut them, of keys without values. */
  readonly splits?: StagedShape | undefined;
  /** For tests: makes the sort hybrid, whatever the sample or the counts say. */
  readonly isForced?: boolean | undefined;
}

/** Threads and keys a thread to aim for, and workgroups. */
export type TargetShape = Pick<Shape, 'threads' | 'keys' | 'groups'>;
