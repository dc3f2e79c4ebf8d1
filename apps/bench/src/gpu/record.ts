/** Records of RadixSorter on a GPU. */

import type { BenchmarkRecord } from '../record/record.js';
import type { GpuDescription } from './device/machine.js';
import type { Clock } from './device/task.js';
import type { GpuCase } from './inputs/definitions.js';
import type { KernelShare } from './kernels/profile.js';
import type { ReferenceTime } from './reference.js';

/** A run of `gpu`, and what it has found so far. */
export interface GpuRecord extends BenchmarkRecord<GpuResult> {
  readonly gpu: GpuDescription;
  /**
   * Bytes a millisecond, read and written ones counted; undefined where kernels were not measured.
   */
  readonly copyRate: number | undefined;
  /** What another program took on this GPU; empty without --reference. */
  readonly reference: readonly ReferenceTime[];
}

/** What was measured of RadixSorter for one case, in milliseconds of one sort. */
export interface GpuResult extends GpuCase {
  readonly backend: 'webgpu';
  /** The clock of the times in `ours`. */
  readonly clock: Clock;
  /** Sorts in a sample. */
  readonly calls: number;
  readonly ours: readonly number[];
  /** From `submit` to the promise that it is done, on the host's clock. */
  readonly latency: readonly number[];
  readonly kernels: readonly KernelShare[];
  readonly verified: boolean;
}
